package targets

import (
	"github.com/agentihooks/agentihooks/hookbin/policy"
	"github.com/agentihooks/agentihooks/internal/diag"
	"github.com/agentihooks/agentihooks/internal/tree"
)

// PassAll is the tree of a home that nothing is declared for: no destinations, and a hook without guards, which lets
// every call pass. Sessions that began with an earlier tree go on calling the hook through `current`, and Copilot CLI
// 1.0.83 and 1.0.102 deny every tool call whose hook is missing. Of idx everything but the entries is taken; without a
// hook the tree is empty.
func PassAll(idx tree.Index, stateDir string, hook []byte) (tree.Tree, diag.List) {
	var files []tree.File
	if len(hook) > 0 && plainText(stateDir) {
		files = []tree.File{
			{Path: HookPath, Exec: true, Data: hook},
			{Path: PolicyPath, Data: policy.Encode(policy.Policy{Host: idx.Host, StateDir: stateDir})},
		}
	}
	return tree.New(idx, files, nil)
}
