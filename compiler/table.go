package compiler

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
)

// table is every block and attribute of the language. Decoding, merging, the reference, `agentihooks schema` and
// did-you-mean all come from it.
type table struct {
	body   []bodyAttr  // what may stand at the top level, in a module, a profile and a host
	blocks []blockType // in the order of the reference
	places []place     // one for each kind of body
}

// bodyAttr is an attribute of a body. All of them are lists with set meaning.
type bodyAttr struct {
	model.AttrSpec
	paths      pathKind
	skipReadme bool // a README.md that a glob finds is not meant
}

// pathKind says what the strings of an attribute name.
type pathKind uint8

const (
	noPath pathKind = iota
	filePath
	folderPath
)

// blockType is one type of block. Its file block_<name>.go holds it whole.
type blockType struct {
	name   string
	label  string   // what the label is; empty: the block has none
	doc    string   // one sentence
	in     []string // titles of the places where it may stand
	specs  []model.BlockSpec
	nested []nestedBlock
	body   bool // it takes all that a body takes, too
	// exclusive attributes push each other out: a later layer that sets one drops the others.
	exclusive []string
	// labels says what is wrong with a label, if anything, and what to do.
	labels func(string) string
	// decode reads one block. Labelled settings blocks have none: they are decoded by their specs.
	decode func(*loader, *layer, *hclsyntax.Block)
	// check looks at a merged block, all of whose attributes have the right types.
	check func(*diag.List, model.Block)
}

// nestedBlock is a block without a label inside another.
type nestedBlock struct {
	name, doc string
	attrs     []model.AttrSpec
}

// place is one kind of body, for did-you-mean and for decoding.
type place struct {
	title  string // "a `host` block", as it stands in a sentence
	attrs  []model.AttrSpec
	blocks []string
	schema *hcl.BodySchema
}

func (p place) attributeNames() []string {
	out := make([]string, 0, len(p.attrs))
	for _, a := range p.attrs {
		out = append(out, a.Name)
	}
	return out
}

// The titles of the places where blocks stand.
const (
	atTop     = "the top level"
	inModule  = "a module"
	inProfile = "a `profile` block"
	inHost    = "a `host` block"
)

// everywhere is where most blocks may stand.
func everywhere() []string { return []string{atTop, inModule, inProfile, inHost} }

// newTable is the one place that lists the attributes of a body and the block types.
func newTable(specs Specs) table {
	t := table{
		body: []bodyAttr{
			{AttrSpec: stringSet("channels", "Names of the channels that sessions on this machine listen to.", `["brain", "amygdala"]`)},
			{AttrSpec: stringSet("persona", "Markdown files that every session reads first, in order. Paths and globs, relative to the folder of the file that declares them.", `["persona/*.md"]`), paths: filePath},
			{AttrSpec: stringSet("rules", "Markdown files, one rule each, added to the persona. A glob leaves out README.md.", `["rules/*.md"]`), paths: filePath, skipReadme: true},
			{AttrSpec: stringSet("manifesto", "Markdown files that come last, after persona and rules.", `["manifesto.md"]`), paths: filePath},
			{AttrSpec: stringSet("skills", "Skill folders: each holds a SKILL.md and the files it speaks of.", `["skills/*"]`), paths: folderPath},
			{AttrSpec: stringSet("agents", "Markdown files with frontmatter, one custom agent each. A glob leaves out README.md.", `["agents/*.md"]`), paths: filePath, skipReadme: true},
			{AttrSpec: stringSet("commands", "Markdown files, one slash command each. A glob leaves out README.md.", `["commands/*.md"]`), paths: filePath, skipReadme: true},
			{AttrSpec: stringSet("instructions", "Instructions for some paths only: `*.instructions.md` files with an `applyTo` in their frontmatter.", `["instructions/**/*.instructions.md"]`), paths: filePath},
			{AttrSpec: model.AttrSpec{
				Name: "keepGenerations", Type: kind(model.TypeNumber), Example: "50",
				Doc: "How many of the newest generations a switch leaves; pinned ones, and what live sessions use, stay in any case. Default: 20.",
			}},
		},
		blocks: []blockType{
			moduleBlock(),
			bundleBlock(),
			profileBlock(),
			hostBlock(),
			targetBlock(specs.Targets),
			mcpBlock(),
			secretBlock(),
			guardBlock(specs.Guards),
			hookBlock(),
			reminderBlock(),
			localsBlock(),
			variableBlock(),
		},
	}
	for _, title := range everywhere() {
		t.places = append(t.places, t.bodyPlace(title))
	}
	for _, b := range t.blocks {
		for _, s := range b.specs {
			if !b.body {
				t.places = append(t.places, blockPlace(b, s))
			}
		}
		for _, n := range b.nested {
			t.places = append(t.places, newPlace(titleOf(n.name, ""), n.attrs, nil, nil))
		}
	}
	return t
}

// stringSet is a list of strings with set meaning.
func stringSet(name, doc, example string) model.AttrSpec {
	return model.AttrSpec{Name: name, Type: listOf(model.TypeString), Merge: model.MergeSet, Doc: doc, Example: example}
}

func kind(k model.TypeKind) model.Type { return model.Type{Kind: k} }

func listOf(k model.TypeKind) model.Type {
	return model.Type{Kind: model.TypeList, Elem: &model.Type{Kind: k}}
}

func mapOf(k model.TypeKind) model.Type {
	return model.Type{Kind: model.TypeMap, Elem: &model.Type{Kind: k}}
}

func enum(values ...string) model.Type { return model.Type{Kind: model.TypeString, Enum: values} }

// enabledAttr is what every labelled settings block and every module takes beside its own attributes.
func enabledAttr() model.AttrSpec {
	return model.AttrSpec{
		Name: "enabled", Type: kind(model.TypeBool), Example: "false",
		Doc: "`false` removes what earlier layers declared under this label. Default: true.",
	}
}

func (t *table) bodyPlace(title string) place {
	var attrs []model.AttrSpec
	for _, a := range t.body {
		attrs = append(attrs, a.AttrSpec)
	}
	var headers []hcl.BlockHeaderSchema
	var names []string
	for _, b := range t.blocks {
		if b.body && titleOf(b.name, "") == title {
			attrs = append(attrs, b.specs[0].Attributes...)
		}
		if !slices.Contains(b.in, title) {
			continue
		}
		names = append(names, b.name)
		header := hcl.BlockHeaderSchema{Type: b.name}
		if b.label != "" {
			header.LabelNames = []string{b.label}
		}
		headers = append(headers, header)
	}
	return newPlace(title, attrs, names, headers)
}

func blockPlace(b blockType, s model.BlockSpec) place {
	var names []string
	var headers []hcl.BlockHeaderSchema
	for _, n := range b.nested {
		names = append(names, n.name)
		headers = append(headers, hcl.BlockHeaderSchema{Type: n.name})
	}
	return newPlace(titleOf(b.name, s.Label), s.Attributes, names, headers)
}

func newPlace(title string, attrs []model.AttrSpec, blocks []string, headers []hcl.BlockHeaderSchema) place {
	p := place{title: title, attrs: attrs, blocks: blocks, schema: &hcl.BodySchema{Blocks: headers}}
	for _, a := range attrs {
		p.schema.Attributes = append(p.schema.Attributes, hcl.AttributeSchema{Name: a.Name})
	}
	return p
}

// titleOf names the body of a block in a sentence.
func titleOf(block, label string) string {
	switch {
	case label != "":
		return "a `" + block + " \"" + label + "\"` block"
	case block == "mcp":
		return "an `mcp` block"
	}
	return "a `" + block + "` block"
}

func (t *table) place(title string) place {
	i := slices.IndexFunc(t.places, func(p place) bool { return p.title == title })
	return t.places[i]
}

func (t *table) block(name string) *blockType {
	i := slices.IndexFunc(t.blocks, func(b blockType) bool { return b.name == name })
	return &t.blocks[i]
}

// header is how a block of that type begins, for messages.
func (t *table) header(name string) string {
	i := slices.IndexFunc(t.blocks, func(b blockType) bool { return b.name == name })
	if i < 0 || t.blocks[i].label == "" {
		return name
	}
	return name + ` "` + t.blocks[i].label + `"`
}
