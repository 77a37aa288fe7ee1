package activate

import "os"

// swapIn puts a staged file in the place of one with the digest before, and loses nothing of a program that takes no lock:
// the two change names, and only then is it certain what stood there. If that was newer it goes back, and the error is a
// changedError; the stage may then hold anything.
func (a *applier) swapIn(dir *os.Root, dest, stage, name, before, after string) error {
	if err := a.home.exchange(dir, stage, name); err != nil {
		return err
	}
	out, _, err := readRegular(dir, stage)
	if err != nil || digestOf(out) == before {
		return err
	}
	if err := a.home.exchange(dir, stage, name); err != nil {
		return err
	}
	// What comes back out should be ours. If the program wrote once more in between, that is its latest.
	if out, _, err = readRegular(dir, stage); err == nil && digestOf(out) != after {
		err = a.home.exchange(dir, stage, name)
	}
	if err != nil {
		return err
	}
	return &changedError{dest}
}
