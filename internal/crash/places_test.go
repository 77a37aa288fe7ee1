package crash

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/agentihooks/agentihooks/internal/ostest"
)

// TestOddHomes switches, goes back and uninstalls in homes of all kinds; afterwards each is what it was.
func TestOddHomes(t *testing.T) {
	if asOrdinaryUser(t) {
		return
	}
	binary := command(t)
	for _, test := range []struct {
		name string
		home func(t *testing.T, base string) string // value of HOME; the folder is base/home or leads there
	}{
		{"plain", func(_ *testing.T, base string) string { return filepath.Join(base, "home") }},
		{"trailing slash", func(_ *testing.T, base string) string { return filepath.Join(base, "home") + "/" }},
		{"double slash", func(_ *testing.T, base string) string { return base + "//home" }},
		{"a link", func(t *testing.T, base string) string {
			link := filepath.Join(base, "link")
			if err := os.Symlink("home", link); err != nil {
				t.Fatal(err)
			}
			return link
		}},
		{"a link with a trailing slash", func(t *testing.T, base string) string {
			link := filepath.Join(base, "link")
			if err := os.Symlink(filepath.Join(base, "home"), link); err != nil {
				t.Fatal(err)
			}
			return link + "/"
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newSite(t, memory(t), binary)
			s.env[0] = "HOME=" + test.home(t, s.base)
			s.comesAndGoes()
		})
	}
	t.Run("blanks and letters beyond ASCII", func(t *testing.T) {
		base := filepath.Join(memory(t), "mit Leerzeichen und Ümläuten 'x' $HOME 日本")
		s := newSite(t, base, binary)
		s.comesAndGoes()
	})
	t.Run("state in the home, by default", func(t *testing.T) {
		s := newSite(t, memory(t), binary)
		s.env[1] = "UNUSED="
		s.state = filepath.Join(s.home, ".local/state/agentihooks")
		s.comesAndGoes("/.local")
	})
}

// comesAndGoes switches to both manifests, goes back, uninstalls, and looks whether the home is what it was, but for the
// path named.
func (s *site) comesAndGoes(but ...string) {
	s.Helper()
	s.userFiles()
	before, err := snapshot(s.home)
	if err != nil {
		s.Fatal(err)
	}
	s.must(s.switchTo("a")...)
	first, err := snapshot(s.home)
	if err != nil {
		s.Fatal(err)
	}
	s.must(s.switchTo("b")...)
	if data, err := os.ReadFile(filepath.Join(s.home, ".copilot/copilot-instructions.md")); err != nil || !strings.Contains(string(data), "persona two") {
		s.Errorf("the persona is %q, %v", data, err)
	}
	s.must("status", "--exit-code")
	s.must("rollback")
	s.same(first, "after a rollback", but)
	s.must("status", "--exit-code")
	s.must("uninstall")
	s.same(before, "after uninstall", but)
}

func (s *site) same(want []string, when string, but []string) {
	s.Helper()
	got, err := snapshot(s.home)
	if err != nil {
		s.Fatal(err)
	}
	for _, line := range lineDiff(got, want) {
		if len(but) == 0 || !strings.HasPrefix(line[2:], but[0]) {
			s.Errorf("%s: %s", when, line)
		}
	}
}

// lineDiff is the lines that are in one of the two only.
func lineDiff(got, want []string) []string {
	count := map[string]int{}
	for _, line := range want {
		count[line]++
	}
	var out []string
	for _, line := range got {
		if count[line]--; count[line] < 0 {
			out = append(out, "+ "+line)
		}
	}
	for _, line := range want {
		if count[line] > 0 {
			out = append(out, "- "+line)
			count[line]--
		}
	}
	return out
}

// TestStateOnAnotherFileSystem has the state in memory and the home on a disk, and the other way round.
func TestStateOnAnotherFileSystem(t *testing.T) {
	if asOrdinaryUser(t) {
		return
	}
	inMemory, elsewhere := memory(t), ostest.TempDir(t)
	if device(t, inMemory) == device(t, elsewhere) {
		t.Skipf("%s and %s are one file system", inMemory, elsewhere)
	}
	binary := command(t)
	for i, pair := range [][2]string{{inMemory, elsewhere}, {elsewhere, inMemory}} {
		s := newSite(t, filepath.Join(pair[0], fmt.Sprint(i)), binary)
		s.state = filepath.Join(pair[1], fmt.Sprint(i), "state")
		s.env[1] = "AGENTIHOOKS_STATE_DIR=" + s.state
		s.comesAndGoes()
	}
}

func device(t *testing.T, path string) uint64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return uint64(info.Sys().(*syscall.Stat_t).Dev)
}

// TestReadOnlyHome finds that it cannot write, and leaves nothing.
func TestReadOnlyHome(t *testing.T) {
	if asOrdinaryUser(t) {
		return
	}
	s := newSite(t, memory(t), command(t))
	s.userFiles()
	closed := []string{s.home, filepath.Join(s.home, ".copilot"), filepath.Join(s.home, ".copilot/agents"), filepath.Join(s.home, ".agents"), filepath.Join(s.home, ".agents/skills")}
	for _, dir := range closed {
		if err := os.Chmod(dir, 0o555); err != nil {
			t.Fatal(err)
		}
	}
	before, err := snapshot(s.home)
	if err != nil {
		t.Fatal(err)
	}
	res := s.run(s.switchTo("a")...)
	if res.exit != 1 || !strings.Contains(res.stderr, "permission denied") {
		t.Errorf("exit code %d, %s%s", res.exit, res.stdout, res.stderr)
	}
	s.same(before, "after a switch that could not write", nil)
	for _, dir := range closed {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s.must(s.switchTo("a")...)
	s.must("status", "--exit-code")
}

// TestFullDisk fills a small file system until a switch does not fit, at many sizes of what is left: each time the home
// stays what it was, and once there is room the switch gets through.
func TestFullDisk(t *testing.T) {
	if runtime.GOOS != "linux" || os.Geteuid() != 0 {
		t.Skip("only root mounts a small file system")
	}
	binary := command(t)
	dir := ostest.TempDir(t)
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=32m,mode=0755", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("nothing may be mounted here: %s", out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", dir).CombinedOutput(); err != nil {
			t.Errorf("umount: %s", out)
		}
	})
	s := newSite(t, filepath.Join(dir, "x"), binary)
	s.userFiles()
	s.must(s.switchTo("a")...)
	before, err := snapshot(s.home)
	if err != nil {
		t.Fatal(err)
	}
	refused, done := 0, 0
	for left := 0; left < 7<<20; left += 128 << 10 {
		fill(t, dir, left)
		res := s.run(s.switchTo("b")...)
		if err := os.Remove(filepath.Join(dir, "ballast")); err != nil {
			t.Fatal(err)
		}
		if res.exit == 0 {
			done++
			s.must("rollback", "1")
			s.must("gc", "--keep", "1")
			s.same(before, fmt.Sprintf("after a rollback, with %d bytes left", left), nil)
			continue
		}
		refused++
		if !strings.Contains(res.stderr, "no space left") {
			t.Fatalf("with %d bytes left: exit code %d, %s%s", left, res.exit, res.stdout, res.stderr)
		}
		if again := s.recover(); again.exit != 1 || strings.Contains(again.stderr, "no space") {
			t.Fatalf("with %d bytes left, recovery: %s", left, again.stderr)
		}
		s.same(before, fmt.Sprintf("with %d bytes left", left), nil)
		s.must("status", "--exit-code")
	}
	s.must(s.switchTo("b")...)
	t.Logf("a full disk: %d switches refused, %d done", refused, done)
	if refused == 0 || done == 0 {
		t.Error("every switch ended the same way")
	}
}

// fill takes all room of a file system but the bytes that are to be left.
func fill(t *testing.T, dir string, left int) {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, "ballast"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	block := make([]byte, 16<<10)
	for {
		var st syscall.Statfs_t
		if err := syscall.Statfs(dir, &st); err != nil {
			t.Fatal(err)
		}
		if int64(st.Bfree)*int64(st.Bsize) <= int64(left) {
			return
		}
		if _, err := f.Write(block); err != nil {
			if errors.Is(err, syscall.ENOSPC) {
				return
			}
			t.Fatal(err)
		}
	}
}

// TestAnotherUsersHome is sudo with HOME kept, and a state folder of somebody else's.
func TestAnotherUsersHome(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can act on another user's home")
	}
	s := newSite(t, memory(t), command(t))
	s.userFiles()
	if err := os.Chown(s.home, ostest.OrdinaryUser, ostest.OrdinaryUser); err != nil {
		t.Fatal(err)
	}
	before, err := snapshot(s.base)
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{s.switchTo("a"), {"rollback"}, {"gc"}, {"uninstall"}} {
		if res := s.run(args...); res.exit != 1 || !strings.Contains(res.stderr, "root would act on") {
			t.Errorf("%q: exit code %d, %s%s", args, res.exit, res.stdout, res.stderr)
		}
	}
	after, err := snapshot(s.base)
	if err != nil {
		t.Fatal(err)
	}
	if diff := lineDiff(after, before); len(diff) > 0 {
		t.Errorf("root wrote:\n%s", strings.Join(diff, "\n"))
	}
	// And the other way: a user with root's state folder.
	if err := os.Chown(s.home, 0, 0); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(s.state, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(s.state, ostest.OrdinaryUser, ostest.OrdinaryUser); err != nil {
		t.Fatal(err)
	}
	if res := s.run(s.switchTo("a")...); res.exit != 1 || !strings.Contains(res.stderr, "belongs to user") {
		t.Errorf("somebody else's state folder: exit code %d, %s%s", res.exit, res.stdout, res.stderr)
	}
}
