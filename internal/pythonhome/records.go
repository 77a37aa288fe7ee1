package pythonhome

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentihooks/agentihooks/internal/activate"
	"github.com/agentihooks/agentihooks/internal/diag"
)

// ledger is what state.json says, the program's own record of its installations.
type ledger struct {
	there    bool     // there is such a file
	copilot  bool     // it is installed for Copilot
	path     string   // there, if that is on record
	others   []string // other agents that it is installed for, sorted
	servers  []string // the MCP servers that it wrote for Copilot
	recorded bool     // servers is a record, if only of none
	links    []managedLink
}

// managedLink is a link that the program made. Text is the entry of the record.
type managedLink struct{ path, target, text string }

func bad(l *diag.List, at diag.Range, format string, args ...any) {
	l.Errorf(at, "bad-record", fmt.Sprintf(format, args...),
		"It is a record of %s that cannot be relied on. Nothing was changed. Correct it; or move the file away, and what it claims is taken for yours.", Name)
}

// decodeLedger reads state.json. What does not concern Copilot is not looked at.
func decodeLedger(l *diag.List, name string, data []byte) (ledger, bool) {
	doc, ok := parse(l, name, data)
	if !ok {
		return ledger{}, false
	}
	before := len(*l)
	out := ledger{there: true}
	doc.object(l)
	if v, at, ok := doc.Get(l, "version"); ok {
		text := strings.TrimPrefix(fmt.Sprint(v), "v")
		if major, _, _ := strings.Cut(text, "."); major != "1" && major != "2" {
			bad(l, at, "version %v is not one that is known (1 and 2 are)", v)
		}
	}
	for _, agent := range doc.object(l, "targets", "global") {
		v, _, _ := doc.Get(l, "targets", "global", agent)
		switch _, isRecord := v.(map[string]any); {
		case agent == "copilot":
			doc.object(l, "targets", "global", agent)
			out.copilot = true
		case isRecord:
			out.others = append(out.others, agent)
		default: // the form of the releases that knew Claude alone
			out.others = append(out.others, "claude")
		}
	}
	slices.Sort(out.others)
	out.others = slices.Compact(out.others)
	if out.copilot {
		v, _, _ := doc.Get(l, "targets", "global", "copilot", "path")
		out.path, _ = v.(string)
		out.servers, out.recorded = doc.names(l, "targets", "global", "copilot", "managed_mcp")
		slices.Sort(out.servers)
		out.servers = slices.Compact(out.servers)
	}
	out.links = doc.links(l)
	return out, len(*l) == before
}

// object is the sorted member names of an object; none where there is nothing.
func (d document) object(l *diag.List, path ...string) []string {
	for i := range path { // a parent that is no object is told once, as what it is
		if v, at, ok := d.Get(l, path[:i]...); ok {
			if _, isObject := v.(map[string]any); !isObject {
				bad(l, at, "%s is no object", d.called(path[:i]))
				return nil
			}
		}
	}
	v, at, ok := d.Get(l, path...)
	if !ok {
		return nil
	}
	members, isObject := v.(map[string]any)
	if !isObject {
		bad(l, at, "%s is no object", d.called(path))
	}
	return slices.Sorted(maps.Keys(members))
}

func (d document) called(path []string) string {
	if len(path) == 0 {
		return filepath.Base(d.Name)
	}
	return strings.Join(path, ".")
}

// names is an array of texts.
func (d document) names(l *diag.List, path ...string) (out []string, ok bool) {
	v, at, ok := d.Get(l, path...)
	if !ok {
		return nil, false
	}
	if _, isArray := v.([]any); !isArray {
		bad(l, at, "%s is no array", d.called(path))
		return nil, false
	}
	elements, _ := d.Elements(l, path...)
	for _, e := range elements {
		text, isText := e.Value.(string)
		if !isText || text == "" {
			bad(l, e.At, "%v is no name", e.Value)
			continue
		}
		out = append(out, text)
	}
	return out, true
}

func (d document) links(l *diag.List) []managedLink {
	v, at, ok := d.Get(l, "managed_links")
	if !ok {
		return nil
	}
	if _, isArray := v.([]any); !isArray {
		bad(l, at, "managed_links is no array")
		return nil
	}
	elements, _ := d.Elements(l, "managed_links")
	texts := d.elements("managed_links")
	var out []managedLink
	for i, e := range elements {
		entry, _ := e.Value.(map[string]any)
		link, isLink := entry["link"].(string)
		target, isTarget := entry["target"].(string)
		if !isLink || !isTarget || !filepath.IsAbs(link) || filepath.Clean(link) != link || i >= len(texts) {
			bad(l, e.At, "an entry of managed_links does not say which link leads where")
			continue
		}
		out = append(out, managedLink{link, target, texts[i]})
	}
	return out
}

// decodeNames reads a record of file names in the folder that it lies in.
func decodeNames(l *diag.List, name string, data []byte) ([]string, bool) {
	doc, ok := parse(l, name, data)
	if !ok {
		return nil, false
	}
	before := len(*l)
	names, ok := doc.names(l)
	elements, _ := doc.Elements(l)
	for _, e := range elements {
		if text, _ := e.Value.(string); !activate.IsFileName(text) || strings.HasPrefix(text, ".agentihooks-") {
			bad(l, e.At, "%q is no name of a file in this folder", text)
		}
	}
	return names, ok && len(*l) == before
}

// decodeManaged reads the record of the settings that the program wrote.
func decodeManaged(l *diag.List, name string, data []byte) (document, []string, bool) {
	doc, ok := parse(l, name, data)
	if !ok {
		return document{}, nil, false
	}
	before := len(*l)
	keys := doc.object(l)
	return doc, keys, len(*l) == before
}
