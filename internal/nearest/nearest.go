// Package nearest finds the name that was probably meant.
package nearest

import (
	"slices"

	"github.com/agext/levenshtein"
)

// Name is the name that was probably meant, or nothing: at most two edits away, and less than half of the name. Two
// letters in the wrong order are one edit.
func Name(name string, candidates []string) string {
	best, distance := "", 3
	for _, c := range slices.Sorted(slices.Values(candidates)) {
		d := levenshtein.Distance(name, c, nil)
		if swapped(name, c) {
			d = 1
		}
		if d < distance && 2*d < max(len(name), len(c)) && c != name {
			best, distance = c, d
		}
	}
	return best
}

// swapped reports whether two neighbouring letters are all that differs.
func swapped(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) - 1 {
		if a[i] != b[i] {
			return a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
		}
	}
	return false
}
