package event

import "testing"

func TestFailure(t *testing.T) {
	for _, test := range []struct {
		name          Name
		payload, want string
	}{
		{PostToolUse, `{"toolName":"bash","toolArgs":{"command":"x"},"toolResult":{"resultType":"success","textResultForLlm":"no such file\n<shellId: 7 completed with exit code 1>"}}`, "no such file\n1>"},
		{PostToolUse, `{"tool_name":"Bash","tool_input":{"command":"x"},"tool_result":{"result_type":"success","text_result_for_llm":"<shellId: 12 completed with exit code 127>"}}`, "127>"},
		{PostToolUse, `{"toolName":"bash","toolArgs":{"command":"x"},"toolResult":{"textResultForLlm":"ok\n<shellId: 0 completed with exit code 0>"}}`, ""},
		{PostToolUse, `{"toolName":"bash","toolArgs":{"command":"x"},"toolResult":{"textResultForLlm":"<shellId: 0 completed with exit code 1>\nand more"}}`, ""},
		{PostToolUse, `{"toolName":"view","toolArgs":{},"toolResult":"text"}`, ""},
		{PostToolUse, `{"toolName":"view","toolArgs":{}}`, ""},
		{PostToolUseFailure, `{"toolName":"view","toolArgs":{},"error":"Path does not exist"}`, "Path does not exist"},
		{PostToolUseFailure, `{"toolName":"view","toolArgs":{}}`, "failed"},
		{PreToolUse, `{"toolName":"view","toolArgs":{},"error":"x"}`, ""},
	} {
		e, err := Decode(test.name, []byte(test.payload))
		if err != nil || e.Failure() != test.want {
			t.Errorf("%s: %q, %v; want %q", test.payload, e.Failure(), err, test.want)
		}
	}
}
