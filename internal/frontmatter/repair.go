package frontmatter

import "strings"

// repair quotes the values of a header that people write without quotes although YAML wants them: prose with a colon
// in it (`description: Use when you see: this`), an argument hint in brackets (`argument-hint: [a|b] [c]`), and a star
// (`tools: [*]`). Tabs at the left edge become blanks. It returns the new text, line for line, and the lines that it
// changed, counted from 0.
func repair(header string) (string, []int) {
	lines := strings.Split(header, "\n")
	var changed []int
	for i, line := range lines {
		if rest := strings.TrimLeft(line, "\t"); rest != line {
			lines[i] = strings.Repeat("  ", len(line)-len(rest)) + rest
			changed = append(changed, i)
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		if !ok || !plainName(name) || value == "" || strings.ContainsAny(value[:1], `"'|>`) {
			continue
		}
		if starred := quoteStars(value); starred != value {
			lines[i] = name + ": " + starred
			changed = append(changed, i)
			continue
		}
		hint := name == "argument-hint"
		prose := !strings.ContainsAny(value[:1], "[]{}&*!%@`#,?-") && (strings.Contains(value, ": ") || strings.HasSuffix(value, ":"))
		if hint || prose {
			lines[i] = name + ": '" + strings.ReplaceAll(value, "'", "''") + "'"
			changed = append(changed, i)
		}
	}
	return strings.Join(lines, "\n"), changed
}

// quoteStars quotes a star that is the whole value, or an element of a list on one line.
func quoteStars(value string) string {
	inner, isList := strings.CutPrefix(value, "[")
	inner, closed := strings.CutSuffix(inner, "]")
	if !isList || !closed {
		if value == "*" {
			return `"*"`
		}
		return value
	}
	items := strings.Split(inner, ",")
	for i, item := range items {
		if strings.TrimSpace(item) == "*" {
			items[i] = strings.Replace(item, "*", `"*"`, 1)
		}
	}
	return "[" + strings.Join(items, ",") + "]"
}

// plainName reports whether a text is a field's name at the left edge: letters, digits, dashes and underscores.
func plainName(s string) bool {
	for i, c := range []byte(s) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c != '-' && c != '_' && (c < '0' || c > '9')) {
			return false
		}
	}
	return s != ""
}
