package compiler

import (
	"strconv"
	"strings"

	"github.com/agentihooks/agentihooks/compiler/model"
	"github.com/agentihooks/agentihooks/internal/diag"
)

// The bounds of a reminder: its text is part of every policy, and stands in the model's context each time.
const (
	maxReminder = 2 << 10 // bytes
	maxEvery    = 1_000_000

	maxReminderName = 64 // bytes
)

func reminderBlock() blockType {
	return blockType{
		name: "reminder", label: "name", in: everywhere(),
		doc:    "Text that a session gets again and again while it works.",
		labels: reminderName,
		check:  checkReminder,
		specs: []model.BlockSpec{{Type: "reminder", Attributes: []model.AttrSpec{
			{Name: "every", Type: kind(model.TypeNumber), Required: true, Doc: "After how many tool calls of the session it comes again.", Example: "20"},
			{Name: "text", Type: kind(model.TypeString), Required: true, Doc: "What the model is told.", Example: `"Run the tests before you go on."`},
			enabledAttr(),
		}}},
	}
}

func reminderName(label string) string {
	if label != "" && len(label) <= maxReminderName {
		return ""
	}
	return "A reminder's name is 1 to " + strconv.Itoa(maxReminderName) + " bytes long. Rename it."
}

// checkReminder checks what only the merged reminder shows.
func checkReminder(l *diag.List, b model.Block) {
	title := "The reminder `" + b.Label + "`"
	if v := b.Attrs.Get("every"); v.Kind == model.KindNumber {
		if n, err := strconv.Atoi(v.Number); err != nil || n < 1 || n > maxEvery {
			l.Errorf(v.Origin, "invalid-value", title+" comes after no number of calls",
				"`every` is a whole number from 1 to %d. Correct it.", maxEvery)
		}
	}
	v := b.Attrs.Get("text")
	switch {
	case v.Kind != model.KindString:
	case strings.TrimSpace(v.Text) == "":
		l.Errorf(v.Origin, "invalid-value", title+" says nothing", "Write its text, or remove it.")
	case len(v.Text) > maxReminder:
		l.Errorf(v.Origin, "invalid-value", title+" is too long",
			"It has %d bytes, and may have %d: it stands in the model's context each time. Shorten it, or name a file in it.", len(v.Text), maxReminder)
	}
}
