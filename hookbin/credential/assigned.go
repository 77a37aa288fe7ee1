package credential

import "strings"

// A name that ends in PASSWORD, SECRET and the like, and what is assigned to it. Programs are full of such names, so
// most of this is about what the value is not: a reference, a placeholder, another name, code.

// assignment is a name with its value.
type assignment struct {
	start, end int    // of the value
	value      string // it
	quoted     bool
	env        bool // NAME=value without blanks, where a shell or a file of variables has it: every text is a literal
	option     bool // --name value
	whole      bool // name: value in a line of its own, as in YAML
}

func assigned(text string, at, next int) (start, end int) {
	a, ok := assignedAt(text, at, next)
	if !ok || len(a.value) < 8 || !a.literal() {
		return 0, 0
	}
	return a.start, a.end
}

// assignedToken is assigned for names of which most have nothing to do with credentials.
func assignedToken(text string, at, next int) (start, end int) {
	a, ok := assignedAt(text, at, next)
	if !ok || len(a.value) < 16 || !strings.ContainsAny(a.value, digits) || !a.literal() {
		return 0, 0
	}
	return a.start, a.end
}

// awsSecret is 40 characters of base 64 behind the name that AWS gives them.
func awsSecret(text string, at, next int) (start, end int) {
	a, ok := assignedAt(text, at, next)
	if !ok || len(a.value) != 40 || run(a.value, 0, base64, 40) != 40 || masked(a.value) {
		return 0, 0
	}
	return a.start, a.end
}

// assignedAt is the assignment to the name that the keyword at an offset ends.
func assignedAt(text string, at, next int) (assignment, bool) {
	next = run(text, next, digit, 3)
	if next == len(text) || classOf(text[next])&url64 != 0 {
		return assignment{}, false
	}
	begin := at
	for begin > 0 && at-begin < 64 && classOf(text[begin-1])&(url64|dot) != 0 {
		begin--
	}
	var a assignment
	i := next
	if text[i] == '>' && begin > 0 && text[begin-1] == '<' { // <password>value</password>
		a.start = i + 1
		a.quoted = true
		a.end = until(text, a.start, "<\n")
		a.value = text[a.start:a.end]
		return a, true
	}
	for i < len(text) && i-next < 8 && strings.IndexByte("\\\"'`]", text[i]) >= 0 {
		i++
	}
	inQuotes := i > next
	i, colon, ok := operator(text, i)
	if !ok {
		if text[next] != ' ' || !strings.HasPrefix(text[begin:], "--") && text[begin:next] != "aws_secret_access_key" { // of aws configure set
			return a, false
		}
		i, a.option = next, true
	}
	glued := ok && !colon && !inQuotes && i == next+1
	i = blanks(text, i)
	a.env = glued && i == next+1 && (strings.HasPrefix(text[begin:], "--") || opensAssignment(text[lineStart(text, begin):begin]))
	a.read(text, i)
	a.env = a.env && (a.end == len(text) || text[a.end] != ',') // an argument of a call, in a line of its own
	a.whole = colon && !a.quoted && endsLine(text, a.end)
	return a, true
}

// operator is the offset behind the = or : at another, and behind a type that stands between: password: str = …
func operator(text string, at int) (next int, colon, ok bool) {
	i := blanks(text, at)
	if i == len(text) {
		return 0, false, false
	}
	rest := text[i:min(len(text), i+48)]
	switch {
	case strings.HasPrefix(rest, "=="), strings.HasPrefix(rest, "=~"), strings.HasPrefix(rest, "::"):
		return 0, false, false
	case strings.HasPrefix(rest, ":="), strings.HasPrefix(rest, "=>"):
		return i + 2, false, true
	case rest[0] == '=':
		return i + 1, false, true
	case rest[0] != ':':
		return 0, false, false
	}
	typ := blanks(rest, 1)
	end := run(rest, typ, word|dot, 24)
	if after := blanks(rest, end); end > typ && strings.HasPrefix(rest[after:], "= ") {
		return i + after + 1, false, true
	}
	return i + 1, true, true
}

// read takes the value at an offset.
func (a *assignment) read(text string, at int) {
	i := at
	for i < len(text) && i-at < 4 && text[i] == '\\' { // in a string of JSON
		i++
	}
	if i+1 < len(text) && strings.IndexByte("rbfuL@", text[i]) >= 0 && (text[i+1] == '"' || text[i+1] == '\'') {
		i++
	}
	if i < len(text) && strings.IndexByte("\"'`", text[i]) >= 0 {
		quote := text[i : i+1]
		a.start, a.quoted = i+1, true
		for a.start < len(text) && text[a.start] == quote[0] && a.start-i < 3 { // """
			a.start++
		}
		a.end = until(text, a.start, quote+"\n")
		if a.end > a.start && text[a.end-1] == '\\' {
			a.end--
		}
	} else {
		a.start = at
		a.end = until(text, at, " \t\r\n,;'\"`<|&\\([{)]}")
		if a.end < len(text) && strings.IndexByte("([{", text[a.end]) >= 0 && !a.env { // code, or a reference
			a.end = a.start
		}
	}
	a.value = text[a.start:a.end]
}

// until is the offset of the first of some bytes.
func until(text string, at int, ends string) int {
	rest := text[at:min(len(text), at+maxValue)]
	if end := strings.IndexAny(rest, ends); end >= 0 {
		return at + end
	}
	return at + len(rest)
}

// maxValue bounds how far a value is followed.
const maxValue = 256

func lineStart(text string, at int) int {
	least := max(0, at-80)
	return least + strings.LastIndexByte(text[least:at], '\n') + 1
}

func endsLine(text string, at int) bool {
	at = blanks(text, at)
	return at == len(text) || text[at] == '\n' || text[at] == '\r' || text[at] == '#'
}

// opensAssignment reports whether an assignment of a shell, of a file of variables or of a Dockerfile can stand behind
// what begins its line.
func opensAssignment(line string) bool {
	line = strings.TrimRight(line, " \t")
	if line == "" || strings.HasSuffix(line, "--") {
		return true
	}
	last := line[strings.LastIndexAny(line, " \t")+1:]
	switch last {
	case "export", "ENV", "ARG", "set", "env", "-e", "--env", "-x", "&&", "||", "-", "'", "\"":
		return true
	}
	return strings.HasSuffix(last, ";") || strings.HasPrefix(last, "-") && strings.HasSuffix(last, "=") // --set=password=…
}

// literal reports whether a value is a literal that somebody may sign in with.
func (a *assignment) literal() bool {
	v := a.value
	if strings.ContainsAny(v, " \t") || placeholder(v) || masked(v) || isPath(v) || strings.Contains(v, "://") || strings.ContainsAny(v, "()") {
		return false
	}
	hasDigit := strings.ContainsAny(v, digits)
	letters := run(v, 0, alnum, len(v)) == len(v)
	switch {
	case strings.Trim(v, digits) == "":
		return a.quoted || a.env
	case a.env:
		return hasDigit || !strings.Contains(v, ".") || run(v, 0, word|dot, len(v)) < len(v)
	case isName(v), !a.quoted && endsLikeName(v):
		return false
	case a.option:
		return hasDigit && v[0] != '-'
	case a.quoted || a.whole:
		return hasDigit || !letters || random(v)
	case run(v, 0, word|dot, len(v)) == len(v): // it may be the name of a variable
		return strings.Count(v, "_")+strings.Count(v, ".") == 0 && (countDigits(v) > 3 || hasDigit && len(v) >= 20)
	}
	return hasDigit
}

// endsLikeName reports whether a value that stands without quotes is the name of a variable that holds the credential.
func endsLikeName(v string) bool {
	v = strings.ToLower(v)
	for _, end := range [...]string{"key", "token", "secret", "password"} {
		if strings.HasSuffix(v, end) {
			return true
		}
	}
	return false
}

func countDigits(v string) int {
	n := 0
	for i := range len(v) {
		if classOf(v[i]) == digit {
			n++
		}
	}
	return n
}

// random reports whether letters alone are no word: a long one in small letters, or capitals where no word of a name
// begins.
func random(v string) bool {
	if strings.ToLower(v) == v {
		return len(v) > 12
	}
	capitals := 0
	for i := 1; i < len(v); i++ {
		if classOf(v[i]) == upper && classOf(v[i-1]) == upper {
			capitals++
		}
	}
	return capitals > 1 && strings.ToUpper(v) != v
}

// isName reports whether a text is the name of something, not a value: words that are joined by _, -, . or /, in which
// digits only end a word, or a single short word.
func isName(v string) bool {
	words, count := strings.FieldsFunc(v, func(r rune) bool { return strings.ContainsRune("_-./:", r) }), 0
	for _, w := range words {
		trimmed := strings.TrimRight(w, digits)
		if len(w)-len(trimmed) > 2 || run(trimmed, 0, lower|upper, len(trimmed)) != len(trimmed) {
			return false
		}
		if trimmed != strings.ToLower(trimmed) && trimmed != strings.ToUpper(trimmed) && trimmed[1:] != strings.ToLower(trimmed[1:]) && random(trimmed) {
			return false
		}
		count++
	}
	return count > 1 || count == 1 && len(v) <= 12 && !strings.ContainsAny(v, digits) && !random(v)
}

// placeholder reports whether a value stands for one that is put in later.
func placeholder(v string) bool {
	switch v[0] {
	case '$', '<', '{', '%', '[', '*', '&', '!':
		return true
	}
	for _, mark := range [...]string{"${", "{{", "$(", "#{", "%(", "<%", "%s", "{}"} {
		if strings.Contains(v, mark) {
			return true
		}
	}
	if open := strings.IndexByte(v, '<'); open >= 0 && strings.IndexByte(v[open:], '>') > 0 {
		return true
	}
	v = strings.ToLower(v)
	for _, mark := range [...]string{
		"example", "changeme", "change_me", "change-me", "placeholder", "your_", "your-", "yourpass", "yourtoken", "yourkey", "yoursecret",
		"xxx", "dummy", "redacted", "insert", "replace", "***", "...", "…", "sample", "not-a-", "not_a_",
	} {
		if strings.Contains(v, mark) {
			return true
		}
	}
	return false
}

// isPath reports whether a value is the path of a file that holds the credential.
func isPath(v string) bool {
	if strings.HasPrefix(v, "./") || strings.HasPrefix(v, "../") || strings.HasPrefix(v, "~/") {
		return true
	}
	if v[0] != '/' {
		return false
	}
	end := run(v, 1, lower, len(v))
	return end > 2 && end < len(v) && v[end] == '/'
}
