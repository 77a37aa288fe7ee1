package compiler

import (
	"bytes"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"

	"github.com/agentihooks/agentihooks/internal/diag"
)

// Format gives a manifest file in its canonical layout: indentation, alignment, one newline at the end. A byte order
// mark stays, and so do line ends of \r\n if the first line has them. A file that does not parse is an error: hclwrite
// would rearrange it all the same.
func Format(src []byte, name string) ([]byte, diag.List) {
	mark := []byte("\ufeff")
	body, marked := bytes.CutPrefix(src, mark)
	text := unixText(body)
	if ds := checkBounds(text, name); len(ds) > 0 {
		return nil, ds
	}
	if _, ds := hclsyntax.ParseConfig(text, name, hcl.InitialPos); ds.HasErrors() {
		return nil, fromHCL(ds, "syntax").Sorted()
	}
	// hclwrite 2.25.0 does not always reach its own canonical layout at once: blanks on a line of their own stay the
	// first time.
	out := hclwrite.Format(text)
	for range 4 {
		again := hclwrite.Format(out)
		if bytes.Equal(again, out) {
			break
		}
		out = again
	}
	if first := bytes.IndexByte(body, '\n'); first > 0 && body[first-1] == '\r' {
		out = bytes.ReplaceAll(out, []byte("\n"), []byte("\r\n"))
	}
	if marked {
		out = append(mark, out...)
	}
	return out, nil
}
