package guard

import "testing"

func TestRetry(t *testing.T) {
	for _, test := range []struct {
		args   Args
		failed int
		want   VerdictKind
	}{
		{Args{}, 0, Pass},
		{Args{}, 2, Pass},
		{Args{}, 3, Deny},
		{Args{}, 9, Deny},
		{Args{"times": 5}, 4, Pass},
		{Args{"times": 5}, 5, Deny},
		{Args{"times": 2, "mode": "warn"}, 2, Warn},
	} {
		for _, call := range []Call{{Tool: "bash", Command: "npm test"}, {Tool: "view", Files: []File{{Path: "x"}}}} {
			call.Failures = func() int { return test.failed }
			if v := verdictOn(t, "retry", test.args, call); v.Kind != test.want {
				t.Errorf("%v after %d failures: %+v", test.args, test.failed, v)
			}
		}
	}
	if v := verdictOn(t, "retry", Args{}, Call{Tool: "bash", Command: "x"}); v.Kind != Pass {
		t.Errorf("where nothing is known: %+v", v)
	}
	for _, n := range []int{0, 1, 51} {
		if _, problems := Compile("retry", Args{"times": n}); len(problems) != 1 {
			t.Errorf("times = %d: %v", n, problems)
		}
	}
}
