package activate

import (
	"bytes"
	"slices"
	"strings"
)

// Block is a text file of the user's of which a marked part is ours. Blocks are sorted by Dest.
type Block struct {
	Dest   string `json:"dest"`
	Digest string `json:"digest"` // sha256 in hex of our text, as ownText gives it
}

// The marks are lines of their own and HTML comments, which Markdown does not show. Both bear the beginning of our text's
// digest, so that no text can hold its own end mark; what follows the number is for the reader.
const (
	beginMark = "<!-- agentihooks: begin "
	endMark   = "<!-- agentihooks: end "
	beginRest = ". The manifest makes this part: write above or below it. -->"
	endRest   = " -->"
	markLen   = 32 // hex digits
)

var byteOrderMark = []byte("\xef\xbb\xbf")

// ownText is our text in one form: no byte order mark in front, no carriage return before a newline, a newline at the end.
// Of its own result it makes the same again, and of that with the line ends of an editor too.
func ownText(text []byte) []byte {
	for bytes.HasPrefix(text, byteOrderMark) {
		text = text[len(byteOrderMark):]
	}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(slices.Clone(text), '\n')
	}
	lines := bytes.Split(text, []byte("\n"))
	for i := range lines[:len(lines)-1] {
		lines[i] = bytes.TrimRight(lines[i], "\r")
	}
	return bytes.Join(lines, []byte("\n"))
}

// blockState is what became of our block in a file.
type blockState uint8

const (
	blockNone    blockState = iota // no trace of it
	blockWhole                     // as we wrote it
	blockEdited                    // the marks are there, the text between them is another
	blockDamaged                   // marks of ours, but not one block between them
)

// findBlock looks for the block of that text. The block is text[start:end], marks and their newlines included.
func findBlock(text []byte, digest string) (state blockState, start, end int) {
	begin, last := beginMark+digest[:markLen]+beginRest, endMark+digest[:markLen]+endRest
	start, end = -1, -1
	inner := 0
	for at := 0; at < len(text); {
		next := at + bytes.IndexByte(text[at:], '\n') + 1
		if next == at {
			next = len(text)
		}
		line := strings.TrimSuffix(strings.TrimSuffix(string(text[at:next]), "\n"), "\r")
		if at == 0 {
			line = strings.TrimPrefix(line, string(byteOrderMark))
		}
		if start < 0 && line == begin {
			start, inner = next-len(text[at:next]), next
			if at == 0 && bytes.HasPrefix(text, byteOrderMark) {
				start = len(byteOrderMark)
			}
		} else if start >= 0 && line == last {
			end = next
			state = blockEdited
			if digestOf(ownText(text[inner:at])) == digest {
				state = blockWhole
			}
			break
		}
		at = next
	}
	if end < 0 {
		if holdsMarks(text) {
			return blockDamaged, 0, 0
		}
		return blockNone, 0, 0
	}
	if holdsMarks(text[:start]) || holdsMarks(text[end:]) {
		return blockDamaged, 0, 0
	}
	return state, start, end
}

// holdsMarks reports whether a text has something that could be taken for a mark of ours.
func holdsMarks(text []byte) bool {
	return bytes.Contains(text, []byte(beginMark)) || bytes.Contains(text, []byte(endMark))
}

// withBlock is the user's text with our block at start, in the place of text[start:end]. Line ends are the user's.
func withBlock(text []byte, start, end int, own []byte) []byte {
	mark := digestOf(own)[:markLen]
	block := slices.Concat([]byte(beginMark+mark+beginRest+"\n"), own, []byte(endMark+mark+endRest+"\n"))
	rest := slices.Concat(text[:start], text[end:])
	if i := bytes.IndexByte(rest, '\n'); i > 0 && rest[i-1] == '\r' {
		block = bytes.ReplaceAll(block, []byte("\n"), []byte("\r\n"))
	}
	return slices.Concat(text[:start], block, text[end:])
}

// withoutBlock is the user's text alone; never nil, for an empty file is a file.
func withoutBlock(text []byte, start, end int) []byte {
	return append(append([]byte{}, text[:start]...), text[end:]...)
}

// blockStart is where a new block goes: before everything but a byte order mark, so that taking it out leaves every byte.
func blockStart(text []byte) int {
	if bytes.HasPrefix(text, byteOrderMark) {
		return len(byteOrderMark)
	}
	return 0
}

// renewBlock is the text with own as its block, in the place of the one on record, if there is one. The state says why
// not, where it is blockEdited or blockDamaged; text is nil then.
func renewBlock(text []byte, recorded string, own []byte) ([]byte, blockState) {
	state, start, end := blockNone, blockStart(text), blockStart(text)
	if recorded != "" {
		if s, from, to := findBlock(text, recorded); s != blockNone {
			state, start, end = s, from, to
		}
	} else if holdsMarks(text) {
		state = blockDamaged
	}
	if state == blockEdited || state == blockDamaged {
		return nil, state
	}
	if state == blockWhole && recorded == digestOf(own) {
		return text, state
	}
	return withBlock(text, start, end, own), state
}

func (a Applied) block(dest string) (Block, bool) {
	for _, b := range a.Blocks {
		if b.Dest == dest {
			return b, true
		}
	}
	return Block{}, false
}

// replaceBlock puts a block in the place of the record of the same file, or only forgets that.
func (a *Applied) replaceBlock(dest string, b Block, keep bool) {
	a.Blocks = slices.DeleteFunc(slices.Clone(a.Blocks), func(x Block) bool { return x.Dest == dest })
	if keep {
		a.Blocks = append(a.Blocks, b)
	}
	slices.SortFunc(a.Blocks, func(x, y Block) int { return strings.Compare(x.Dest, y.Dest) })
	if len(a.Blocks) == 0 {
		a.Blocks = nil
	}
}
