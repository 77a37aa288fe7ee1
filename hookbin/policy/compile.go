package policy

import "github.com/agentihooks/agentihooks/hookbin/guard"

// Compile is a guard in compiled form. The kind and the arguments are those of its guard.Spec; a problem names the
// argument that is wrong, and with one the guard is not to be used.
func Compile(kind string, args guard.Args) (Guard, []guard.Problem) {
	data, problems := guard.Compile(kind, args)
	return Guard{Kind: kind, Data: data}, problems
}
