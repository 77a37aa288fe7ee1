package target

import (
	"github.com/agentihooks/agentihooks/internal/tree"
)

// Risk is power that a change gives. To lose power is none.
type Risk struct {
	Kind RiskKind
	Dest tree.Dest // the destination, or a file below it, whose change brings it; empty: the tree as a whole (the policy)
	Text string    // one line: `mcp "x" now runs /usr/bin/x`
}

// String is how a risk is shown: the kind, which --deny-risk takes, and the text.
func (r Risk) String() string { return string(r.Kind) + ": " + r.Text }

// RiskKind is a kind of power. Its name is part of the interface: it is never reused for something else.
type RiskKind string

// The kinds.
const (
	RiskExecutable    RiskKind = "executable"
	RiskHook          RiskKind = "hook"
	RiskMCPServer     RiskKind = "mcp-server"
	RiskHost          RiskKind = "host"
	RiskTools         RiskKind = "tools"
	RiskSignIn        RiskKind = "sign-in"
	RiskProgram       RiskKind = "program"
	RiskAllowAll      RiskKind = "allow-all"
	RiskSecretCommand RiskKind = "secret-command"
	RiskSecretExport  RiskKind = "secret-export"
	RiskGuard         RiskKind = "guard"
)

// RiskDoc says what a kind stands for.
type RiskDoc struct {
	Kind RiskKind
	Doc  string // without a full stop
}

// RiskKinds is the table of all kinds.
func RiskKinds() []RiskDoc {
	return []RiskDoc{
		{RiskExecutable, "a skill has a new or changed executable file"},
		{RiskHook, "there is another hook, of the manifest or of an agent"},
		{RiskMCPServer, "a local MCP server, of an agent too, runs another command, or is no longer disabled"},
		{RiskHost, "a remote MCP server, of an agent too, is on another host, or without TLS"},
		{RiskTools, "an MCP server offers, or an agent may use, more tools than before"},
		{RiskSignIn, "an MCP server signs in"},
		{RiskProgram, "the status line or `browserCommand` runs another program"},
		{RiskAllowAll, "`allowAll` is on"},
		{RiskSecretCommand, "the value of a secret comes from another command"},
		{RiskSecretExport, "a secret is exported, or a header or the address of an MCP server takes one more variable from Copilot's environment: the agent can read it there"},
		{RiskGuard, "a guard, or something that it denied, is gone, or the hook that runs the guards"},
	}
}

// Kinds is the names of all kinds.
func Kinds() []string {
	var out []string
	for _, d := range RiskKinds() {
		out = append(out, string(d.Kind))
	}
	return out
}
