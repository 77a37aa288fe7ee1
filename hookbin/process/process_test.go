package process

import (
	"os"
	"testing"
)

func TestIsAncestor(t *testing.T) {
	parent := os.Getppid()
	if Start(os.Getpid()) == "" {
		t.Skip("this system does not tell when a process began")
	}
	if !IsAncestor(parent, Start(parent), os.Getpid()) {
		t.Error("our parent is no ancestor")
	}
	if IsAncestor(parent, "1", os.Getpid()) {
		t.Error("an earlier process of our parent's number is an ancestor")
	}
	if IsAncestor(os.Getpid(), Start(os.Getpid()), os.Getpid()) {
		t.Error("we are our own ancestor")
	}
	if IsAncestor(0, "", os.Getpid()) || IsAncestor(parent, "", -1) {
		t.Error("nobody is an ancestor")
	}
}
