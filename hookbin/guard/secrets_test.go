package guard

import (
	"strings"
	"testing"
)

var allowed = Args{"allow": []string{"testdata", "sk_test_*", "docs/*.md", "hunter2allowed"}}

func TestSecretsCommands(t *testing.T) {
	judged(t, "secrets", allowed, func(command string) *Call { return kept(Call{Tool: "bash", Command: command}) })
}

const plantedToken = "gho_" + "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb3d"

func TestSecretsTexts(t *testing.T) {
	data, problems := Compile("secrets", allowed)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for _, test := range []struct {
		text Text
		want VerdictKind
		says string
	}{
		{Text{Where: "the file a.py", Path: "a.py", Text: "x = 1\nT = '" + plantedToken + "'"}, Deny, "a GitHub token, in the file a.py, line 2"},
		{Text{Where: "the file a.py", Path: "a.py", Text: "T = '" + plantedToken + "' # nosecret gitleaks:allow"}, Deny, "a GitHub token"},
		{Text{Where: "the argument body of mail-send", Text: "body: " + plantedToken}, Deny, "would send a GitHub token, in the argument body of mail-send, line 1"},
		{Text{Where: "the argument password of db-login", Text: "password: hunter2" + "hunter2"}, Deny, "a literal for a credential"},
		{Text{Where: "the file testdata/k", Path: "testdata/k", Text: plantedToken}, Pass, ""},
		{Text{Where: "the file x/testdata/k", Path: "/w/proj/x/testdata/k", Text: plantedToken}, Pass, ""},
		{Text{Where: "the file docs/a.md", Path: "docs/a.md", Text: plantedToken}, Pass, ""},
		{Text{Where: "the file other/docs/a.md", Path: "other/docs/a.md", Text: plantedToken}, Deny, "a GitHub token"},
		{Text{Where: "the argument testdata of x", Text: plantedToken}, Deny, "a GitHub token"},
		{Text{Where: "the file a", Path: "a", Text: "password = 'hunter2allowed'"}, Pass, ""},
		{Text{Where: "the file a", Path: "a", Text: "password = 'hunter2allowed'\nt: " + plantedToken}, Deny, "line 2"},
		{Text{Where: "the file a", Path: "a", Text: "password = os.environ['PW']"}, Pass, ""},
	} {
		v, err := Judge("secrets", data, kept(Call{Tool: "edit", Texts: []Text{{Where: "the file b", Path: "b", Text: "fine"}, test.text}}))
		if err != nil || v.Kind != test.want || !strings.Contains(v.Reason, test.says) {
			t.Errorf("%+v: verdict %v, %v, want %v with %q: %s", test.text, v.Kind, err, test.want, test.says, v.Reason)
		}
		if strings.Contains(v.Reason+v.Rule, plantedToken[4:10]) || strings.Contains(v.Reason, "hunter2hunter2") {
			t.Errorf("the reason shows the value: %s", v.Reason)
		}
	}
}

func TestSecretsAllow(t *testing.T) {
	for _, bad := range []string{"", "*", "**", "**/*", "~", "/", "a["} {
		if _, problems := Compile("secrets", Args{"allow": []string{"x", bad}}); len(problems) != 1 || problems[0].Index != 1 {
			t.Errorf("%q: %v", bad, problems)
		}
	}
	few, _ := Compile("secrets", Args{"allow": []string{"x"}})
	none, _ := Compile("secrets", Args{})
	before, _, _ := Denied("secrets", none)
	after, _, _ := Denied("secrets", few)
	if before[0] == after[0] {
		t.Errorf("an exception takes nothing away from %q", before)
	}
}
