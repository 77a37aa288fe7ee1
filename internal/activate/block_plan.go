package activate

import (
	"fmt"
	"path/filepath"
	"unicode/utf8"

	"github.com/agentihooks/agentihooks/internal/tree"
)

// instructionsName is the one file in the program's home that users write themselves: Copilot CLI 1.0.83 and 1.0.102 read
// it into every session. Where one is in the way it can be shared.
const instructionsName = "copilot-instructions.md"

func (p *planner) isInstructions(dest string) bool {
	return filepath.Base(dest) == instructionsName && filepath.Dir(dest) == p.New.Copilot
}

// planBlock plans a destination as a block in the user's own text, if it is on record as one or is adopted. Where it says
// false the destination is a link.
func (p *planner) planBlock(e tree.Entry) (bool, error) {
	dest := string(e.Dest)
	place := p.Observed.At(dest)
	rec, known := p.Applied.block(dest)
	cut := p.cuts[dest]
	if place.Kind != RegularFile || digestOf(place.Data) == e.Digest || !known && cut == "" && !p.adopts(dest) {
		return false, nil
	}
	if len(place.Data) >= maxRead || !utf8.Valid(place.Data) {
		p.collide(dest, ClassDiffers, fmt.Sprintf("It is larger than %d bytes, or no UTF-8 text, so nothing can be written into it.", maxRead-1),
			"Move it away, then switch again.")
		return true, nil
	}
	want, err := p.Values(e.Path)
	if err != nil {
		return false, fmt.Errorf("reading %s of the tree: %w", e.Path, err)
	}
	own := ownText(want)
	text, state := renewBlock([]byte(without(string(place.Data), cut)), rec.Digest, own)
	switch state {
	case blockEdited:
		p.collideInBlock(dest, "What agentihooks wrote into it was changed.",
			"Move what you want to keep above or below the two lines that begin with \"<!-- agentihooks:\", remove these and all between them, then switch again.")
		return true, nil
	case blockDamaged:
		p.collideInBlock(dest, "It holds lines that begin with \"<!-- agentihooks:\", but not one whole block between them.",
			"Remove these lines, and between them what is not yours, then switch again.")
		return true, nil
	}
	p.applied.Blocks = append(p.applied.Blocks, Block{dest, digestOf(own)})
	if string(text) != string(place.Data) {
		p.writeText(dest, place, text)
		p.act(ActionBlock, dest, e.Path)
	}
	return true, nil
}

func (p *planner) collideInBlock(dest, reason, remedy string) {
	p.collide(dest, ClassDiffers, reason, remedy)
	p.Collisions[len(p.Collisions)-1].block = true
}

func (p *planner) writeText(dest string, place Place, text []byte) {
	p.merges = append(p.merges, fileMerge{
		mergeResult: mergeResult{text: text, applied: File{Dest: dest}},
		before:      append([]byte{}, place.Data...), mode: uint32(place.Mode), block: true, cut: p.cuts[dest],
	})
}

// withdrawBlocks gives those files back whose block is no longer declared.
func (p *planner) withdrawBlocks() {
	for _, b := range p.Applied.Blocks {
		place := p.Observed.At(b.Dest)
		if _, declared := p.entries[b.Dest]; declared || place.Kind == Absent {
			continue
		}
		state, start, end := blockNone, 0, 0
		if place.Kind == RegularFile && len(place.Data) < maxRead {
			state, start, end = findBlock(place.Data, b.Digest)
		}
		if state != blockWhole {
			if state != blockNone {
				p.warnf("%s: what agentihooks wrote into it is no longer declared, but was changed and stays as it is", b.Dest)
			}
			continue
		}
		p.writeText(b.Dest, place, withoutBlock(place.Data, start, end))
		p.act(ActionBlock, b.Dest, "")
	}
}

// blockAnew is mergeAnew for a block: the file is not what the plan saw.
func (a *applier) blockAnew(m mergeStep, old Applied) error {
	data, ok, err := a.current(m.Dest)
	if err != nil || !ok {
		a.Applied.replaceBlock(m.Dest, Block{}, false) // gone: the next switch makes a link
		return err
	}
	own, declared, err := a.declaredText(m.Dest)
	if err != nil {
		return err
	}
	found := data
	data = []byte(without(string(data), m.Cut))
	text, now := data, ""
	for _, known := range []Applied{a.journal.Applied, old} { // written already, or not yet
		b, ok := known.block(m.Dest)
		if state, start, end := blockNone, 0, 0; ok {
			if state, start, end = findBlock(data, b.Digest); state == blockWhole {
				text, now = withoutBlock(data, start, end), b.Digest
				if declared {
					text = withBlock(data, start, end, own)
				}
				break
			}
		}
	}
	if now == "" && declared {
		var state blockState
		if text, state = renewBlock(data, "", own); state == blockDamaged {
			return fmt.Errorf("%s: what agentihooks wrote into it was changed", m.Dest)
		}
	}
	if string(text) != string(found) {
		err = a.replaceNow(m, digestOf(found), text)
	}
	if err == nil {
		a.Applied.replaceBlock(m.Dest, Block{m.Dest, digestOf(own)}, declared)
	}
	return err
}

// declaredText reads from the store what the live generation has for a destination.
func (a *applier) declaredText(dest string) (own []byte, declared bool, err error) {
	rec, err := a.state.Read(a.Next)
	if err != nil {
		return nil, false, err
	}
	path := a.store.PathOf(rec.Store)
	idx, err := a.store.ReadIndex(path)
	if err != nil {
		return nil, false, err
	}
	for _, e := range idx.Entries {
		if string(e.Dest) == dest && e.Placement == tree.Link {
			data, err := a.store.ReadFile(path, e.Path)
			return ownText(data), true, err
		}
	}
	return nil, false, nil
}
