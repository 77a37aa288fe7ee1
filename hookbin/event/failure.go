package event

import (
	"encoding/json"
	"strings"
)

// Failure is how the call failed, after one that did: it is never empty then, and is after any other. A result may be large:
// it is read anew each time. A shell command that ends with a code other than 0 is a success to Copilot 1.0.80 to 1.0.102; the
// code stands in the last line of its text: "<shellId: 3 completed with exit code 1>".
func (e Event) Failure() string {
	switch e.Name {
	case PostToolUseFailure:
		if reason := text(e.fields, "error"); reason != "" {
			return reason
		}
		return "failed"
	case PostToolUse:
		for _, key := range []string{"toolResult", "tool_result"} {
			var result map[string]json.RawMessage
			if json.Unmarshal(e.fields[key], &result) != nil {
				continue
			}
			if out := text(result, "textResultForLlm", "text_result_for_llm"); brokeOff(out) {
				return withoutShell(out)
			}
		}
	}
	return ""
}

const ending = " completed with exit code "

// brokeOff reports whether the last line of a shell's text has an exit code other than 0.
func brokeOff(out string) bool {
	last := out[strings.LastIndexByte(out, '\n')+1:]
	_, code, found := strings.Cut(last, ending)
	return found && strings.HasPrefix(last, "<shellId: ") && code != "0>"
}

// withoutShell is a shell's text without the number of the shell, which grows.
func withoutShell(out string) string {
	at := strings.LastIndexByte(out, '\n') + 1
	_, code, _ := strings.Cut(out[at:], ending)
	return out[:at] + code
}
