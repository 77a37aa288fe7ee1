package store

// Ahead is a Rehash that runs beside other work.
type Ahead struct {
	path Path
	done chan struct{}
	err  error
}

// RehashAhead begins to hash a store path.
func (s Store) RehashAhead(p Path) *Ahead {
	a := &Ahead{path: p, done: make(chan struct{})}
	go func() {
		defer close(a.done)
		a.err = s.Rehash(p)
	}()
	return a
}

// Of reports whether it is about that path. a may be nil, which is about none.
func (a *Ahead) Of(p Path) bool { return a != nil && a.path == p }

// RehashOnce is Rehash, or what a has found if it is about that path.
func (s Store) RehashOnce(p Path, a *Ahead) error {
	if !a.Of(p) {
		return s.Rehash(p)
	}
	<-a.done
	return a.err
}
