package event

import "strings"

// Change is what a patch in apply_patch's format does to one file.
type Change struct {
	Path    string
	To      string // where the file is moved; may be empty
	Deletes bool
	Added   string // the lines that are added
	Grows   int    // how many lines more the file has after it; negative if it has less
}

// Patch takes a patch in apply_patch's format apart. What stands before its first file is skipped.
func Patch(text string) []Change {
	var out []Change
	var added []string
	end := func() {
		if len(out) > 0 {
			out[len(out)-1].Added = strings.Join(added, "\n")
		}
		added = nil
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if change, ok := patchHeader(line); ok {
			end()
			out = append(out, change)
		} else if to, ok := strings.CutPrefix(line, "*** Move to: "); ok && len(out) > 0 {
			out[len(out)-1].To = strings.TrimSpace(to)
		} else if strings.HasPrefix(line, "+") {
			added = append(added, line[1:])
			if len(out) > 0 {
				out[len(out)-1].Grows++
			}
		} else if strings.HasPrefix(line, "-") && len(out) > 0 {
			out[len(out)-1].Grows--
		}
	}
	end()
	return out
}

func patchHeader(line string) (Change, bool) {
	for _, verb := range []string{"Add", "Update", "Delete"} {
		if name, ok := strings.CutPrefix(line, "*** "+verb+" File: "); ok {
			return Change{Path: strings.TrimSpace(name), Deletes: verb == "Delete"}, true
		}
	}
	return Change{}, false
}
