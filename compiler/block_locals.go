package compiler

import "github.com/hashicorp/hcl/v2/hclsyntax"

func localsBlock() blockType {
	return blockType{
		name: "locals", in: everywhere(),
		doc:    "Names values for use as `local.<name>` in the body around it and the bodies inside that.",
		decode: (*loader).localsOf,
	}
}

func (l *loader) localsOf(ly *layer, b *hclsyntax.Block) {
	for _, inner := range b.Body.Blocks {
		l.diags.Errorf(rangeOf(inner.TypeRange), "unknown-block", "Unknown block `"+inner.Type+"`",
			"A `locals` block holds no blocks. Write `%s = { … }`.", inner.Type)
	}
	for _, a := range sortedAttributes(b.Body.Attributes) {
		if first, twice := ly.scope.locals[a.Name]; twice {
			l.conflict("The local `"+a.Name+"`", a.NameRange, first.at)
			continue
		}
		x := &local{name: a.Name, at: a.NameRange, expr: l.expr(a.Expr, ly.scope)}
		ly.scope.locals[a.Name] = x
		l.locals = append(l.locals, x)
	}
}
