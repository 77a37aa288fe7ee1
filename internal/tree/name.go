package tree

import "fmt"

// Name is the name of a store path: the hash of its tree, a hyphen, the host that it was built for.
type Name string

// Name is the name of the tree in the store.
func (t Tree) Name() Name { return Name(string(t.Hash) + "-" + t.Index.Host) }

// ParseName checks that s is a hash, a hyphen and a host name, so that it is fit for a path.
func ParseName(s string) (Name, error) {
	if len(s) < hashLen+2 || s[hashLen] != '-' || !Hash(s[:hashLen]).Valid() || !ValidHost(s[hashLen+1:]) {
		return "", fmt.Errorf("%q is not the name of a store path: expected <hash>-<host>", s)
	}
	return Name(s), nil
}

// Hash is the part before the hyphen. The name must come from a tree or from ParseName.
func (n Name) Hash() Hash { return Hash(n[:hashLen]) }

// Host is the part after the hyphen. The name must come from a tree or from ParseName.
func (n Name) Host() string { return string(n[hashLen+1:]) }

// ValidHost reports whether s may name a host: [A-Za-z0-9][A-Za-z0-9._-]{0,62}, which is always one path component.
func ValidHost(s string) bool {
	if len(s) == 0 || len(s) > 63 {
		return false
	}
	for i := range len(s) {
		c := s[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !letter && (i == 0 || c != '.' && c != '_' && c != '-') {
			return false
		}
	}
	return true
}
