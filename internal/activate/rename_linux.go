package activate

import "golang.org/x/sys/unix"

// exchangeNames swaps two names of a folder in one step.
func exchangeNames(dir int, a, b string) error {
	return unix.Renameat2(dir, a, dir, b, unix.RENAME_EXCHANGE)
}

// renameNew renames within a folder, onto a name that must be free.
func renameNew(dir int, from, to string) error {
	return unix.Renameat2(dir, from, dir, to, unix.RENAME_NOREPLACE)
}
