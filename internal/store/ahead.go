package store

// Ahead is a Verify that runs beside other work.
type Ahead struct {
	path Path
	done chan struct{}
	err  error
}

// VerifyAhead begins to verify a store path.
func (s Store) VerifyAhead(p Path) *Ahead {
	a := &Ahead{path: p, done: make(chan struct{})}
	go func() {
		defer close(a.done)
		a.err = s.Verify(p)
	}()
	return a
}

// VerifyOnce is Verify, or what a has found if it is about that path. a may be nil.
func (s Store) VerifyOnce(p Path, a *Ahead) error {
	if a == nil || a.path != p {
		return s.Verify(p)
	}
	<-a.done
	return a.err
}
