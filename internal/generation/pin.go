package generation

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agentihooks/agentihooks/internal/durable"
)

// pinMark is an empty file in the folder of a generation that gc has to keep.
const pinMark = "pinned"

// Pin keeps a generation from gc until Unpin. An error is fs.ErrNotExist if there is none of that number; a second call
// writes nothing.
func (s State) Pin(n Number) error {
	if _, err := os.Stat(s.Folder(n)); err != nil {
		return err
	}
	f, err := os.OpenFile(s.pinPath(n), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("pinning generation %s: %w", n, err)
	}
	if err := f.Close(); err != nil {
		return err
	}
	return durable.SyncFile(s.Folder(n))
}

// Unpin takes the pin away; none is no error. An error is fs.ErrNotExist if there is no generation of that number.
func (s State) Unpin(n Number) error {
	if _, err := os.Stat(s.Folder(n)); err != nil {
		return err
	}
	if err := os.Remove(s.pinPath(n)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("unpinning generation %s: %w", n, err)
	}
	return durable.SyncFile(s.Folder(n))
}

// Pinned reports whether a generation is pinned.
func (s State) Pinned(n Number) (bool, error) { return exists(s.pinPath(n)) }

func (s State) pinPath(n Number) string { return filepath.Join(s.Folder(n), pinMark) }
