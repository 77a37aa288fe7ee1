package compiler

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"

	"github.com/agentihooks/agentihooks/internal/nearest"
)

// Bounds of what is read into memory.
const (
	maxSourceBytes = 16 << 20
	maxFolderBytes = 64 << 20
	maxFolderFiles = 2000
	maxWalked      = 100_000
	maxLinks       = 4 // nested links to folders; os.Root of Go 1.26 itself follows at most 8 in a path
)

// source is one folder that HCL files and what they name are read from. Nothing outside of it is ever read: the
// fs.FS behind it refuses what leads out, links too. Each file and each pattern is read once.
type source struct {
	m     *Manifest
	fs    fs.FS
	dir   string // ".", "../shared/mod", "builtin/base": relative to the manifest's folder
	shown string // how the folder is shown to the user
	id    int    // among the manifest's sources
	once  sync.Once
	ctx   *hcl.EvalContext

	mu    sync.Mutex
	files map[string]fileRead
	globs map[globKey]globRead
}

type fileRead struct {
	data []byte
	exec bool
	p    *problem
}

type globKey struct {
	pattern string
	kind    pathKind
	readme  bool
}

type globRead struct {
	found    []found
	problems []*problem
}

// problem is a diagnostic without its place.
type problem struct{ code, summary, detail string }

func newSource(m *Manifest, fsys fs.FS, dir, shown string, id int) *source {
	return &source{
		m: m, fs: fsys, dir: dir, shown: shown, id: id,
		files: map[string]fileRead{}, globs: map[globKey]globRead{},
	}
}

// show is a file's name as the user sees it.
func (s *source) show(rel string) string { return path.Join(s.shown, rel) }

// label is a file's name in the tree's comments and in the revision: the same wherever the manifest's folder lies.
func (s *source) label(rel string) string { return path.Join(s.dir, rel) }

// read gives a regular file's bytes, at most limit of them.
func (s *source) read(rel string, limit int64) ([]byte, *problem) {
	r := s.readFile(rel)
	if r.p == nil && int64(len(r.data)) > limit {
		return nil, &problem{
			"too-large", "`" + s.show(rel) + "` is too large",
			fmt.Sprintf("It has %d bytes; at most %d are read. Make it smaller.", len(r.data), limit),
		}
	}
	return r.data, r.p
}

func (s *source) readFile(rel string) fileRead { return once(&s.mu, s.files, rel, s.readOnce) }

// once is what read gives for a key, kept in cache. It is not locked while it reads: two at once read the same, and
// reading may ask for other keys.
func once[K comparable, V any](mu *sync.Mutex, cache map[K]V, key K, read func(K) V) V {
	mu.Lock()
	v, ok := cache[key]
	mu.Unlock()
	if ok {
		return v
	}
	v = read(key)
	mu.Lock()
	defer mu.Unlock()
	cache[key] = v
	return v
}

func (s *source) readOnce(rel string) (out fileRead) {
	info, err := fs.Stat(s.fs, rel)
	if err != nil {
		out.p = s.unreadable(rel, err)
		return out
	}
	return s.readAs(rel, info)
}

// readEntry is readFile for what a folder lists. A plain file need not be looked at again.
func (s *source) readEntry(rel string, d fs.DirEntry) fileRead {
	return once(&s.mu, s.files, rel, func(rel string) fileRead {
		if d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				return s.readAs(rel, info)
			}
		}
		return s.readOnce(rel)
	})
}

// readAs reads what info says of it.
func (s *source) readAs(rel string, info fs.FileInfo) (out fileRead) {
	switch {
	case info.IsDir():
		out.p = &problem{"not-a-file", "`" + s.show(rel) + "` is a folder", "Name a file, or write a glob such as `" + path.Join(rel, "*.md") + "`."}
		return out
	case !info.Mode().IsRegular(): // reading a pipe would wait forever
		out.p = &problem{"not-a-file", "`" + s.show(rel) + "` is no regular file", "Pipes, sockets and devices are not read. Replace it by a file."}
		return out
	case info.Size() > maxSourceBytes:
		out.p = s.tooLarge(rel)
		return out
	}
	f, err := s.fs.Open(rel)
	if err != nil {
		out.p = s.unreadable(rel, err)
		return out
	}
	defer f.Close() //nolint:errcheck // it was only read
	var data bytes.Buffer
	data.Grow(int(info.Size()) + bytes.MinRead) // so that it need not grow
	_, err = data.ReadFrom(io.LimitReader(f, maxSourceBytes+1))
	switch {
	case err != nil:
		out.p = s.unreadable(rel, err)
	case data.Len() > maxSourceBytes:
		out.p = s.tooLarge(rel)
	default:
		out.data, out.exec = data.Bytes(), info.Mode()&0o100 != 0
	}
	return out
}

func (s *source) tooLarge(rel string) *problem {
	return &problem{
		"too-large", "`" + s.show(rel) + "` is too large",
		fmt.Sprintf("At most %d MB of a file are read. Make it smaller, or remove it.", maxSourceBytes>>20),
	}
}

// unreadable says why a path cannot be read. The file system gives no error of its own for a link that leaves the
// folder, so links on the way are looked for.
func (s *source) unreadable(rel string, err error) *problem {
	shown := "`" + s.show(rel) + "`"
	if link := s.linkIn(rel); link != "" {
		if errors.Is(err, fs.ErrNotExist) {
			return &problem{
				"missing-file", shown + " leads to nothing",
				"`" + s.show(link) + "` is a link, and what it points to does not exist. Correct or remove the link.",
			}
		}
		return &problem{
			"outside-source", shown + " leads outside the source folder",
			"`" + s.show(link) + "` is a link that leaves `" + s.shown + "`. Only files inside are read: copy them there, or use a module.",
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		p := &problem{"missing-file", shown + " does not exist", "Create it, or correct the name."}
		if near := s.nearestFile(rel); near != "" {
			p.detail = "Did you mean `" + near + "`?"
		}
		return p
	}
	return &problem{"unreadable", shown + " cannot be read", "The system says: " + err.Error() + ". Check its permissions."}
}

// linkIn is the first component of a path that is a link, or "".
func (s *source) linkIn(rel string) string {
	parts := strings.Split(rel, "/")
	for i := range parts {
		at := strings.Join(parts[:i+1], "/")
		if info, err := fs.Lstat(s.fs, at); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return at
		}
	}
	return ""
}

func (s *source) nearestFile(rel string) string {
	entries, err := fs.ReadDir(s.fs, path.Dir(rel))
	if err != nil || len(entries) > 1000 {
		return ""
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if n := nearest.Name(path.Base(rel), names); n != "" {
		return path.Join(path.Dir(rel), n)
	}
	return ""
}

// validPath checks a path or pattern of the manifest, and cleans it.
func (s *source) validPath(p string) (string, *problem) {
	switch {
	case p == "":
		return "", &problem{"invalid-path", "A path is empty", "Name a file or a glob, or remove the element."}
	case strings.Contains(p, `\`):
		return "", &problem{"invalid-path", "The path `" + p + "` holds a backslash", "Write / between folders, on every system."}
	case !utf8.ValidString(p) || !printable(p):
		return "", &problem{"invalid-path", "The path " + strconv.Quote(p) + " holds characters that no name may have", "Control characters and bytes that are no UTF-8 cannot be stored. Rename the file."}
	}
	outside := &problem{
		"outside-source", "`" + p + "` is outside the source folder",
		"Paths are relative to the folder of the file that declares them, and stay inside `" + s.shown + "`. Move the files there, or use a module.",
	}
	clean := path.Clean(p)
	if path.IsAbs(p) || p == "~" || strings.HasPrefix(p, "~/") || clean == ".." || strings.HasPrefix(clean, "../") {
		return "", outside
	}
	if hasMeta(p) && strings.Contains("/"+p+"/", "/../") {
		return "", &problem{"invalid-path", "The pattern `" + p + "` holds `..`", "Write the path without it."}
	}
	return clean, nil
}

func hasMeta(p string) bool { return strings.ContainsAny(p, "*?[{") }
