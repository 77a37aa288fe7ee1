package model

// VariableName reports whether every shell takes the name for a variable: letters, digits and underscores, not a digit
// first.
func VariableName(s string) bool {
	for i, c := range []byte(s) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}
