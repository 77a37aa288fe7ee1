package crash

import (
	"context"
	"encoding/json"
	"errors"
	"os"

	"pgregory.net/rapid"

	"github.com/agentihooks/agentihooks/internal/activate"
	"github.com/agentihooks/agentihooks/internal/faults"
	"github.com/agentihooks/agentihooks/internal/generation"
	"github.com/agentihooks/agentihooks/internal/store"
)

// childRequest is a switch that a process of its own carries out, to be killed.
type childRequest struct {
	Home, State string
	To          machine
}

// childMain is that process.
func childMain(text string) error {
	var req childRequest
	if err := json.Unmarshal([]byte(text), &req); err != nil {
		return err
	}
	gens, err := generation.OpenState(req.State, req.Home)
	if err != nil {
		return err
	}
	tr, err := req.To.tree(req.Home)
	if err != nil {
		return err
	}
	_, err = activate.Switch(context.Background(), request(gens, store.New(req.State), req.Home, tr, false))
	return err
}

// crash kills a switch at a random call that changes something, and recovers.
func (h *history) crash() bool {
	m := h.drawMachine()
	next, ok := h.apply(m, refusing)
	text, err := json.Marshal(childRequest{h.home, h.state, m})
	if err != nil {
		h.Fatal(err)
	}
	before, _, err := h.gens.Current()
	if err != nil {
		h.Fatal(err)
	}
	at := rapid.IntRange(1, 120).Draw(h.T, "at")
	out, err := faults.Run(
		faults.Program{Args: []string{os.Args[0]}, Env: []string{childEnv + "=" + string(text)}},
		faults.Plan{Beneath: []string{h.home, h.state}, Changes: true, At: at, Fault: faults.Kill},
	)
	if err != nil {
		h.Fatal(err)
	}
	if !out.Fired { // it came to its end
		if (out.Exit == 0) != ok {
			h.Fatalf("exit status %d: %s", out.Exit, out.Stderr)
		}
		if ok {
			h.model = next
		}
		return false
	}
	healing, err := h.healing()
	if err != nil {
		h.Fatal(err)
	}
	if _, err := activate.Recover(context.Background(), h.gens, h.store); err != nil {
		h.Fatal(err)
	}
	after, live, err := h.gens.Current()
	if err != nil {
		h.Fatal(err)
	}
	if live && (after != before || healing) {
		h.model = next
	}
	return true
}

// healing reports whether the interrupted switch was one to what is live: it is finished then, there is no flip.
func (h *history) healing() (bool, error) {
	data, err := os.ReadFile(h.state + "/journal")
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	var j struct {
		Previous int `json:"previous"`
		Next     int `json:"next"`
	}
	err = json.Unmarshal(data, &j)
	return j.Previous == j.Next, err
}
