package crash

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/agentihooks/agentihooks/internal/generation"
)

// readerEnv makes this binary a reader of the home that it names.
const readerEnv = "CRASH_TEST_READER"

// childEnv makes it one switch of a history, which is going to be killed.
const childEnv = "CRASH_TEST_CHILD"

func TestMain(m *testing.M) {
	if home := os.Getenv(readerEnv); home != "" {
		if err := read(home); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if text := os.Getenv(childEnv); text != "" {
		if err := childMain(text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const (
	readers = 8
	linked  = 3 // files of one generation that a reader reads
)

func linkName(i int) string { return fmt.Sprintf(".copilot/instructions/file%d.instructions.md", i) }

// read reads the linked files, through the links, until its standard input ends; then it prints how often, how many
// were torn and how many missing. The three are read through one descriptor of the live tree as well: together they are
// of one generation.
func read(home string) error {
	stop := make(chan struct{})
	go func() {
		_, _ = bufio.NewReader(os.Stdin).ReadByte()
		close(stop)
	}()
	reads, torn, missing := 0, 0, 0
	fmt.Println("ready")
	for {
		select {
		case <-stop:
			fmt.Println(reads, torn, missing)
			return nil
		default:
		}
		for i := range linked {
			data, err := os.ReadFile(filepath.Join(home, linkName(i)))
			reads++
			switch {
			case err != nil:
				missing++
			case !whole(string(data), i):
				torn++
			}
		}
		if mixed, err := readTogether(home); err != nil {
			missing++
		} else if mixed {
			torn++
		}
	}
}

// body is a file of a generation: long, so that a read of half of it shows.
func body(word string, i int) string {
	return "---\napplyTo: file" + strconv.Itoa(i) + "\n---\n\n" + strings.Repeat(word+"\n", 2000)
}

func whole(text string, i int) bool { return text == body("one", i) || text == body("two", i) }

// readTogether opens the tree that is live once, and reads all files in it.
func readTogether(home string) (mixed bool, err error) {
	link, err := os.Readlink(filepath.Join(home, linkName(0)))
	if err != nil {
		return false, err
	}
	live, inside, _ := strings.Cut(link, "/current/tree/")
	tree, err := os.OpenRoot(live + "/current/tree")
	if err != nil {
		return false, err
	}
	defer tree.Close()
	first := ""
	for i := range linked {
		data, err := tree.ReadFile(filepath.Join(filepath.Dir(inside), filepath.Base(linkName(i))))
		if err != nil {
			return false, err
		}
		word, _, _ := strings.Cut(string(data[len(data)-4:]), "\n")
		if first == "" {
			first = word
		}
		mixed = mixed || word != first || !whole(string(data), i)
	}
	return mixed, nil
}

// TestReadersDuringFlips reads linked files in eight processes while the generation changes under them.
// See https://github.com/anthropics/claude-code/issues/35165.
func TestReadersDuringFlips(t *testing.T) {
	if asOrdinaryUser(t) {
		return
	}
	flips := 1000
	if full() {
		flips = 10_000
	}
	s := newSite(t, memory(t), command(t))
	for _, word := range []string{"one", "two"} {
		s.write(filepath.Join("src", word, "machine.hcl"), "instructions = [\"*.instructions.md\"]\ntarget \"copilot\" {}\n")
		for i := range linked {
			s.write(filepath.Join("src", word, filepath.Base(linkName(i))), body(word, i))
		}
		s.must(s.switchTo(word)...)
	}
	stop := startReaders(t, s.home)
	state, err := generation.LookState(s.state, s.home)
	if err != nil {
		t.Fatal(err)
	}
	unlock, err := state.Lock(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for i := range flips {
		if err := state.Flip(generation.Number(1 + i%2)); err != nil {
			t.Fatal(err)
		}
	}
	unlock()
	for range 5 { // whole switches too: rollback and switch
		s.must("rollback", "1")
		s.must(s.switchTo("two")...)
	}
	reads, torn, missing := stop()
	t.Logf("%d readers made %d reads during %d flips: %d torn, %d missing", readers, reads, flips, torn, missing)
	if torn+missing > 0 || reads < readers*linked {
		t.Errorf("%d reads, %d torn, %d missing", reads, torn, missing)
	}
}

func startReaders(t *testing.T, home string) (stop func() (reads, torn, missing int)) {
	t.Helper()
	type reader struct {
		stdin interface{ Close() error }
		out   *bufio.Reader
		wait  func() error
	}
	var all []reader
	for range readers {
		cmd := exec.Command(os.Args[0])
		cmd.Env = []string{readerEnv + "=" + home}
		cmd.Stderr = os.Stderr
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		r := reader{stdin, bufio.NewReader(stdout), cmd.Wait}
		if line, err := r.out.ReadString('\n'); err != nil || line != "ready\n" {
			t.Fatalf("a reader said %q, %v", line, err)
		}
		all = append(all, r)
	}
	return func() (reads, torn, missing int) {
		for _, r := range all {
			r.stdin.Close()
			var n, bad, gone int
			if _, err := fmt.Fscan(r.out, &n, &bad, &gone); err != nil {
				t.Fatalf("a reader's figures: %v", err)
			}
			if err := r.wait(); err != nil {
				t.Fatal(err)
			}
			reads, torn, missing = reads+n, torn+bad, missing+gone
		}
		return reads, torn, missing
	}
}
