// Package targets renders a machine into a tree: one folder a target, one line each in the table.
package targets
