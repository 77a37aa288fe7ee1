package main

import (
	"github.com/agentihooks/agentihooks/internal/store"
	"github.com/agentihooks/agentihooks/internal/tree"
	"github.com/agentihooks/agentihooks/targets/target"
)

// treeReader reads the files of a tree in memory.
func treeReader(t tree.Tree) target.Reader {
	return func(path string) ([]byte, bool) {
		f, ok := t.File(path)
		return f.Data, ok
	}
}

// storeReader reads the files of a tree in the store. One that cannot be read is not there.
func storeReader(st store.Store, p store.Path) target.Reader {
	return func(path string) ([]byte, bool) {
		data, err := st.ReadFile(p, path)
		return data, err == nil
	}
}

// liveReader reads the live tree; nil if this home was never switched.
func (h home) liveReader() target.Reader {
	if p := h.livePath(); p != "" {
		return storeReader(h.store, p)
	}
	return nil
}

// livePath is the store path of the live tree; empty if this home was never switched, or its record cannot be read.
func (h home) livePath() store.Path {
	n, ok, err := h.state.Current()
	if err != nil || !ok {
		return ""
	}
	rec, err := h.state.Read(n)
	if err != nil {
		return ""
	}
	return h.store.PathOf(rec.Store)
}

// rehashAhead begins to hash the live tree; nil if there is none.
func (h home) rehashAhead() *store.Ahead {
	if p := h.livePath(); p != "" {
		return h.store.RehashAhead(p)
	}
	return nil
}
