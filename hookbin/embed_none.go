//go:build !hooks

package hookbin

var binaries map[string][]byte
