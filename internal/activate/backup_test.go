package activate

import (
	"bytes"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/agentihooks/agentihooks/internal/ostest"
)

func sampleBackup() backupRecord {
	return backupRecord{
		Version: backupVersion, Path: "/home/u/a", Kind: kindFolder, Mode: 0o750, Digest: strings.Repeat("0a", 32), Size: 7,
		Generation: 3, CreatedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
	}
}

func TestBackupRecordRoundTrip(t *testing.T) {
	r := sampleBackup()
	if got, err := decodeBackup(encodeState(r)); err != nil || !reflect.DeepEqual(got, r) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, bad := range []func(r *backupRecord){
		func(r *backupRecord) { r.Version = 2 },
		func(r *backupRecord) { r.Path = "a" },
		func(r *backupRecord) { r.Kind = "link" },
		func(r *backupRecord) { r.Digest = "../x" },
		func(r *backupRecord) { r.Mode = 0o1777 },
	} {
		r := sampleBackup()
		bad(&r)
		if _, err := decodeBackup(encodeState(r)); err == nil {
			t.Errorf("decoded %+v", r)
		}
	}
}

func FuzzDecodeBackup(f *testing.F) {
	f.Add(encodeState(sampleBackup()))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := decodeBackup(data)
		if err == nil && !bytes.Equal(encodeState(r), data) {
			t.Errorf("%q came back as %q", data, encodeState(r))
		}
	})
}

// Whatever an archive holds, it writes nothing outside of its folder.
func FuzzUnpack(f *testing.F) {
	dir := ostest.TempDir(f)
	root, err := os.OpenRoot(dir)
	if err != nil {
		f.Fatal(err)
	}
	defer root.Close()
	if err := os.MkdirAll(dir+"/in/a", 0o755); err != nil {
		f.Fatal(err)
	}
	for name, data := range map[string]string{"in/x": "x", "in/a/y": ""} {
		if err := os.WriteFile(dir+"/"+name, []byte(data), 0o640); err != nil {
			f.Fatal(err)
		}
	}
	if err := os.Symlink("/else", dir+"/in/l"); err != nil {
		f.Fatal(err)
	}
	good, err := pack(root, "in")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(bytes.Replace(good, []byte("a/y"), []byte("../"), 1))
	f.Fuzz(func(t *testing.T, data []byte) {
		base := t.TempDir()
		root, err := os.OpenRoot(base)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		err = unpack(root, "out", data)
		if again, err2 := pack(root, "out"); err == nil && err2 == nil && bytes.Equal(data, good) && !bytes.Equal(again, data) {
			t.Error("it came back as another")
		}
		items, err := os.ReadDir(base)
		if err != nil || len(items) > 1 {
			t.Errorf("%v, %v", items, err)
		}
		if err := removeAll(root, "out"); err != nil {
			t.Error(err)
		}
	})
}
