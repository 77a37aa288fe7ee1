package activate

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Bounds of a folder that is taken over as a whole: it is held in memory while it is copied.
const (
	maxArchive      = 256 << 20 // bytes of its files
	maxArchiveItems = 50_000
	maxArchiveDepth = 100
)

// oddError says why a folder cannot be taken over.
type oddError struct{ reason string }

func (e *oddError) Error() string { return e.reason }

// pack is a folder as one archive: names, types, modes, link texts and bytes, and nothing else, so that equal folders give
// equal archives. It follows no link. An *oddError if it holds what an archive cannot give back.
func pack(dir *os.Root, name string) ([]byte, error) {
	sub, err := enter(dir, name)
	if err != nil {
		return nil, err
	}
	defer sub.Close()
	var buf bytes.Buffer
	p := packer{out: tar.NewWriter(&buf)}
	info, err := sub.Stat(".")
	if err == nil {
		err = p.folder(sub, ".", info, 0)
	}
	if err != nil {
		return nil, err
	}
	if err := p.out.Close(); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

type packer struct {
	out   *tar.Writer
	items int
	size  int64
}

// folder adds an open folder and what is in it. Names are any bytes, which io/fs does not take.
func (p *packer) folder(dir *os.Root, at string, info fs.FileInfo, depth int) error {
	if depth > maxArchiveDepth {
		return &oddError{fmt.Sprintf("it is deeper than %d levels", maxArchiveDepth)}
	}
	if err := p.write(&tar.Header{Name: at, Typeflag: tar.TypeDir, Mode: int64(info.Mode().Perm())}, nil); err != nil {
		return err
	}
	names, err := readNames(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := p.item(dir, name, path.Join(at, name), depth); err != nil {
			return err
		}
	}
	return nil
}

func (p *packer) item(dir *os.Root, name, at string, depth int) error {
	info, err := dir.Lstat(name)
	if err != nil {
		return err
	}
	switch {
	case info.IsDir():
		sub, err := enter(dir, name)
		if err != nil {
			return err
		}
		defer sub.Close()
		return p.folder(sub, at, info, depth+1)
	case info.Mode()&fs.ModeSymlink != 0:
		text, err := dir.Readlink(name)
		if err != nil {
			return err
		}
		return p.write(&tar.Header{Name: at, Typeflag: tar.TypeSymlink, Linkname: text, Mode: 0o777}, nil)
	case info.Mode().IsRegular():
		data, info, err := readRegular(dir, name)
		if err != nil {
			return err
		}
		return p.write(&tar.Header{Name: at, Typeflag: tar.TypeReg, Mode: int64(info.Mode().Perm()), Size: int64(len(data))}, data)
	}
	return &oddError{fmt.Sprintf("it holds %q, which is neither file, folder nor link", at)}
}

func (p *packer) write(h *tar.Header, data []byte) error {
	p.items++
	p.size += h.Size
	if p.items > maxArchiveItems || len(data) >= maxRead || p.size > maxArchive {
		return &oddError{fmt.Sprintf("it holds more than %d items, a file of more than %d bytes, or %d bytes in all", maxArchiveItems, maxRead-1, maxArchive)}
	}
	if err := p.out.WriteHeader(h); err != nil {
		return err
	}
	_, err := p.out.Write(data)
	return err
}

// unpack makes a folder, at a name that is free, from what pack made.
func unpack(dir *os.Root, name string, archive []byte) error {
	if err := dir.Mkdir(name, 0o700); err != nil {
		return err
	}
	sub, err := enter(dir, name)
	if err != nil {
		return err
	}
	defer sub.Close()
	type folder struct {
		name string
		mode fs.FileMode
	}
	var folders []folder
	in := tar.NewReader(bytes.NewReader(archive))
	for {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		item := strings.TrimSuffix(h.Name, "/")
		if !filepath.IsLocal(item) {
			return fmt.Errorf("the archive has the name %q", h.Name)
		}
		mode := fs.FileMode(h.Mode).Perm()
		switch h.Typeflag {
		case tar.TypeDir:
			folders = append(folders, folder{item, mode})
			if item != "." {
				err = sub.Mkdir(item, 0o700)
			}
		case tar.TypeSymlink:
			err = sub.Symlink(h.Linkname, item)
		case tar.TypeReg:
			var data []byte
			if data, err = io.ReadAll(in); err == nil {
				err = writeNew(sub, item, data, mode)
			}
		default:
			err = fmt.Errorf("the archive has an item of type %q", h.Typeflag)
		}
		if err != nil {
			return err
		}
	}
	for _, f := range slices.Backward(folders) { // last, for a folder may not be writable
		if err := sub.Chmod(f.name, f.mode); err != nil {
			return err
		}
	}
	return nil
}
