// Package crash holds the tests of what a user trusts a switch with: it is ended or made to fail at every file-system
// call, run twice at once, read while it flips, and set against a model over random histories.
//
// Set AGENTIHOOKS_CRASH=full for every point, AGENTIHOOKS_HISTORIES for the number of histories.
package crash
