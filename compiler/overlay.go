package compiler

import (
	"bytes"
	"io/fs"
	"path"
)

// overlaid is a source folder in which some files have other content.
type overlaid struct {
	fs.FS
	texts rewritten
	dir   string // of the folder, as in labels
}

func (o overlaid) Open(name string) (fs.File, error) {
	f, err := o.FS.Open(name)
	text, ok := o.texts[path.Join(o.dir, name)]
	if err != nil || !ok {
		return f, err
	}
	return &memoryFile{File: f, Reader: bytes.NewReader(text), size: int64(len(text))}, nil
}

func (o overlaid) Stat(name string) (fs.FileInfo, error) {
	info, err := fs.Stat(o.FS, name)
	text, ok := o.texts[path.Join(o.dir, name)]
	if err != nil || !ok {
		return info, err
	}
	return sized{info, int64(len(text))}, nil
}

// Lstat and ReadLink are those of the folder: a link stays one.
func (o overlaid) Lstat(name string) (fs.FileInfo, error) { return fs.Lstat(o.FS, name) }
func (o overlaid) ReadLink(name string) (string, error)   { return fs.ReadLink(o.FS, name) }

// memoryFile is an open file with other content.
type memoryFile struct {
	fs.File
	*bytes.Reader
	size int64
}

func (f *memoryFile) Read(p []byte) (int, error) { return f.Reader.Read(p) }

func (f *memoryFile) Stat() (fs.FileInfo, error) {
	info, err := f.File.Stat()
	if err != nil {
		return nil, err
	}
	return sized{info, f.size}, nil
}

// sized is the information about a file with another size.
type sized struct {
	fs.FileInfo
	size int64
}

func (s sized) Size() int64 { return s.size }
