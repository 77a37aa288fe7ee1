package hookbin

import (
	"strings"
	"testing"
)

// TestBinaries holds without the hooks and with them.
func TestBinaries(t *testing.T) {
	found := 0
	for _, os := range []string{"linux", "darwin"} {
		for _, arch := range []string{"amd64", "arm64"} {
			data, ok := Binary(os, arch)
			if ok {
				found++
			}
			if ok != (len(data) > 0) {
				t.Errorf("%s/%s: %d bytes, %v", os, arch, len(data), ok)
			}
			magic := map[string]string{"linux": "\x7fELF", "darwin": "\xcf\xfa\xed\xfe"}[os]
			if ok && !strings.HasPrefix(string(data), magic) {
				t.Errorf("%s/%s is no binary of that system", os, arch)
			}
		}
	}
	if found != len(binaries) || found != 0 && found != 4 {
		t.Errorf("%d of 4 binaries are embedded", found)
	}
	if Development() != (found == 0) {
		t.Errorf("Development() = %v with %d binaries", Development(), found)
	}
	for _, arch := range []string{"", "../README", "386"} {
		if _, ok := Binary("linux", arch); ok {
			t.Errorf("there is a hook for linux/%s", arch)
		}
	}
}
