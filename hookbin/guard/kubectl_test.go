package guard

import (
	"slices"
	"strings"
	"testing"
)

func TestKubectlCommands(t *testing.T) {
	for name, args := range map[string]Args{"kubectl": {}, "kubectl_allow": {"allow": []string{"kubectl apply", "kubectl rollout", "kubectl exec", "helm upgrade"}}} {
		t.Run(name, func(t *testing.T) {
			judged(t, name, args, func(line string) *Call {
				return &Call{Tool: "bash", Command: line, Cwd: "/w", Home: "/home/u"}
			})
		})
	}
}

func TestKubectlArguments(t *testing.T) {
	if !slices.IsSorted(clusterVerbs()) {
		t.Error("the verbs are not sorted")
	}
	if _, problems := Compile("kubectl", Args{"allow": []string{"helm upgrade", "apply"}}); len(problems) != 1 || problems[0].Index != 1 {
		t.Error(problems)
	}
	data, _ := Compile("kubectl", Args{"allow": []string{"kubectl apply"}})
	denied, _, err := Denied("kubectl", data)
	if all := strings.Join(denied, ","); err != nil || strings.Contains(all, "kubectl apply") || !strings.Contains(all, "kubectl annotate,kubectl autoscale") {
		t.Error(all, err)
	}
}
