package tree

import (
	"encoding/hex"
	"io/fs"

	"github.com/nix-community/go-nix/pkg/nixbase32"
)

// DigestDir is the digest that an entry for this real folder has: the sha256 of its NAR serialisation in hex.
func DigestDir(fsys fs.FS) (string, error) {
	h, err := HashDir(fsys)
	if err != nil {
		return "", err
	}
	sum, err := nixbase32.DecodeString(string(h))
	return hex.EncodeToString(sum), err
}
