package guard

// Denied is what a guard denies, one thing an element, sorted: for who compares two policies. The error is ErrUnknown
// for a guard that has no such list.
func Denied(name string, data []byte) ([]string, error) {
	if name != "commands" {
		return nil, ErrUnknown
	}
	patterns, err := decodeCommands(data)
	if err != nil {
		return nil, err
	}
	out := make([]string, 0, len(patterns))
	for _, p := range patterns {
		out = append(out, p.text)
	}
	return out, nil
}
