package channel

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// childTask makes the test binary another process of ours: it says what to do in which state folder.
const childTask, childState = "CHANNEL_TEST_TASK", "CHANNEL_TEST_STATE"

func TestMain(m *testing.M) {
	if task := os.Getenv(childTask); task != "" {
		os.Exit(child(task, os.Getenv(childState)))
	}
	os.Exit(m.Run())
}

// child publishes until it is ended, or prints what an event of session s is handed.
func child(task, state string) int {
	now := time.Now()
	switch task {
	case "publish":
		for i := 0; ; i++ {
			m := Message{Severity: "info", Text: strings.Repeat("x", MaxText), Created: now, Expires: now.Add(time.Hour)}
			if _, err := Publish(state, m, now); err != nil {
				fmt.Println(err)
				return 1
			}
			if i == 0 {
				fmt.Println("began")
			}
		}
	case "publish 20":
		for range 20 {
			m := Message{Severity: "info", Text: "x", Created: now, Expires: now.Add(time.Hour)}
			if _, err := Publish(state, m, now); err != nil {
				fmt.Println(err)
				return 1
			}
		}
	case "read":
		d, err := Next(state, Reader{Session: "s"}, now)
		if err != nil {
			fmt.Println(err)
			return 1
		}
		if d == nil {
			return 0
		}
		defer d.Close()
		time.Sleep(5 * time.Millisecond) // a slow agent
		for _, m := range d.Messages {
			fmt.Println(m.ID)
		}
		if err := d.Done(len(d.Messages)); err != nil {
			fmt.Println(err)
			return 1
		}
	}
	return 0
}

func start(t *testing.T, task, state string) (*exec.Cmd, *strings.Builder) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childTask+"="+task, childState+"="+state)
	out := new(strings.Builder)
	cmd.Stdout = out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, out
}

// TestEventsAtOnce: the start of a session and its first prompt run at the same time, and hand over each message once.
func TestEventsAtOnce(t *testing.T) {
	state := t.TempDir()
	now := time.Now()
	for range 5 {
		publish(t, state, now, func(*Message) {})
	}
	var cmds []*exec.Cmd
	var outs []*strings.Builder
	for range 6 {
		cmd, out := start(t, "read", state)
		cmds, outs = append(cmds, cmd), append(outs, out)
	}
	count := map[string]int{}
	for i, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %s", err, outs[i])
		}
		for _, id := range strings.Fields(outs[i].String()) {
			count[id]++
		}
	}
	if len(count) != 5 {
		t.Errorf("%d messages were handed over", len(count))
	}
	for id, n := range count {
		if n != 1 {
			t.Errorf("%s was handed over %d times", id, n)
		}
	}
}

// TestPublishersAtOnce: none loses a message of another.
func TestPublishersAtOnce(t *testing.T) {
	state := t.TempDir()
	a, outA := start(t, "publish 20", state)
	b, outB := start(t, "publish 20", state)
	if err := a.Wait(); err != nil {
		t.Error(err, outA)
	}
	if err := b.Wait(); err != nil {
		t.Error(err, outB)
	}
	if live, err := Live(state, time.Now()); err != nil || len(live) != 40 {
		t.Errorf("%d live, %v", len(live), err)
	}
}

// TestKilledPublisher: whenever a publisher is killed, there are whole messages only, and the next one publishes.
func TestKilledPublisher(t *testing.T) {
	state := t.TempDir()
	for i := range 15 {
		cmd, _ := start(t, "publish", state)
		time.Sleep(time.Duration(20+i) * time.Millisecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		names, err := ids(state)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range names {
			data, err := readFile(file(state, id))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := decode(data); err != nil {
				t.Fatalf("%s: %v: %q", id, err, data)
			}
		}
		if i > 5 && len(names) == 0 {
			t.Fatal("nothing was published")
		}
		now := time.Now()
		publish(t, state, now, func(*Message) {})
		if live, err := Live(state, now); err != nil || len(live) > maxMessages {
			t.Fatalf("%d live, %v", len(live), err)
		}
	}
}
