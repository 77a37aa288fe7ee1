package event

import (
	"reflect"
	"testing"
)

func TestPatch(t *testing.T) {
	got := Patch("x\n*** Begin Patch\n*** Add File: /home/dev/p.txt\n+hi\n+\n*** Update File: a b.go\r\n*** Move to: c.go\r\n@@\n-old\r\n+new\r\n ctx\n-two\n*** Delete File: gone\n*** End Patch\n")
	want := []Change{{Path: "/home/dev/p.txt", Added: "hi\n", Grows: 2}, {Path: "a b.go", To: "c.go", Added: "new", Grows: -1}, {Path: "gone", Deletes: true}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for _, none := range []string{"", "+x", "*** Move to: x", "no patch"} {
		if got := Patch(none); got != nil {
			t.Errorf("%q is %+v", none, got)
		}
	}
}
