package sessionlog

import (
	"bufio"
	"errors"
	"io"
)

// maxLine bounds one line, in bytes: a tool's result with an image in it has some megabytes. A longer one is passed over.
const maxLine = 8 << 20

// lines reads lines of any length in bounded memory.
type lines struct {
	r    *bufio.Reader
	long []byte // a line that does not fit into the buffer of r
}

func newLines(r io.Reader) *lines { return &lines{r: bufio.NewReaderSize(r, 64<<10)} }

// next is the next line without its end, valid until the next call. A line that is too long comes as tooLong and no
// text. Whole says that the line has an end: the last one may be cut, or still be written. The error is io.EOF after
// the last line.
func (l *lines) next() (line []byte, whole, tooLong bool, err error) {
	l.long = l.long[:0]
	for {
		part, err := l.r.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			if len(l.long)+len(part) > maxLine {
				tooLong = true
			} else {
				l.long = append(l.long, part...)
			}
			continue
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, false, false, err
		}
		whole = err == nil
		if whole {
			part = part[:len(part)-1]
		} else if len(part) == 0 && len(l.long) == 0 && !tooLong {
			return nil, false, false, io.EOF
		}
		if tooLong = tooLong || len(l.long)+len(part) > maxLine; tooLong {
			return nil, whole, true, nil
		}
		if len(l.long) > 0 {
			l.long = append(l.long, part...)
			part = l.long
		}
		return part, whole, false, nil
	}
}
