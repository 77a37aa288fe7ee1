package guard

import "strconv"

// The guard "retry" stops an agent that tries the same thing over and over.
func retryKind() kind {
	return kind{
		spec: Spec{
			Kind: "retry",
			Doc: "Stops a call that failed so often in the same way, with nothing that succeeded since: the same tool with the same arguments and the same error. " +
				"Reading is nothing that succeeds; after an edit or another command it may be tried once more.",
			Args: []Arg{{Name: "times", Type: Int, Doc: "After how many failures. Default: 3.", Example: "5"}},
		},
		check: func(args Args) []Problem {
			if n, given := args["times"].(int); given && (n < 2 || n > maxTimes) {
				return []Problem{{"times", -1, "A call that never failed is no second try, and more than " + strconv.Itoa(maxTimes) + " failures are not remembered. Write a number from 2 to " + strconv.Itoa(maxTimes) + "."}}
			}
			return nil
		},
		judge: judgeRetry,
		denied: func(args Args) []string {
			return []string{"a call that failed " + strconv.Itoa(times(args)) + " times in the same way"}
		},
	}
}

// maxTimes is well below what a session remembers.
const maxTimes = 50

func times(args Args) int {
	if n := args.number("times"); n > 0 {
		return n
	}
	return 3
}

func judgeRetry(args Args, call *Call) (*finding, error) {
	if call.Failures == nil {
		return nil, nil
	}
	n := call.Failures()
	if n < times(args) {
		return nil, nil
	}
	what := call.Command
	if what == "" {
		what = call.Tool
	}
	return &finding{
		text:    "`" + shown(what) + "` failed " + strconv.Itoa(n) + " times in the same way, and nothing was changed since.",
		rule:    "times",
		instead: "Read what it says, then change something: another command, an edit, other arguments. Or tell the person what keeps you from going on.",
	}, nil
}
