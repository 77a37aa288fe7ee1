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

// EverydayVariable reports whether a variable is set in almost every session, and so is no secret.
func EverydayVariable(name string) bool {
	switch name {
	case "DISPLAY", "EDITOR", "HOME", "HOSTNAME", "LANG", "LC_ALL", "LOGNAME", "MAIL", "OLDPWD", "PAGER", "PATH", "PWD", "SHELL",
		"SHLVL", "TERM", "TMPDIR", "TZ", "USER", "VISUAL", "WAYLAND_DISPLAY", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME",
		"XDG_RUNTIME_DIR", "XDG_STATE_HOME":
		return true
	}
	return false
}
