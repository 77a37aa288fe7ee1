package policy

import (
	"slices"
	"strings"
)

// sections appends what only some policies have, each behind its number, in ascending order. It reports whether there is
// any.
func (w *writer) sections(p Policy) bool {
	before := len(*w)
	if len(p.Reminders) > 0 {
		reminders := slices.Clone(p.Reminders)
		slices.SortFunc(reminders, func(a, b Reminder) int { return strings.Compare(a.Name, b.Name) })
		var data writer
		data.number(len(reminders))
		for _, r := range reminders {
			data.text(r.Name)
			data.number(r.Every)
			data.text(r.Text)
		}
		w.number(sectionReminders)
		w.bytes(data)
	}
	if p.ProjectRules {
		w.number(sectionProjectRules)
		w.bytes(nil)
	}
	return len(*w) > before
}

// sections reads to the end of the policy. Every section may have something to do with what the user forbids, so an
// unknown one is a fault.
func (r *reader) sections(p *Policy) {
	r.check(len(r.rest) > 0, "it has no sections")
	last := uint32(0)
	for len(r.rest) > 0 && r.fault == "" {
		number := r.number()
		data := reader{rest: r.bytes()}
		r.check(number > last, "its sections are not in order")
		last = number
		switch number {
		case sectionReminders:
			p.Reminders = data.reminders()
			data.check(len(p.Reminders) > 0, "it has no reminders")
		case sectionProjectRules:
			p.ProjectRules = true
		default:
			r.check(false, "it has an unknown section")
		}
		data.check(len(data.rest) == 0, "a section goes on after its end")
		r.check(data.fault == "", data.fault)
	}
}

func (r *reader) reminders() []Reminder {
	var list []Reminder
	last := ""
	for i, n := 0, r.count(); i < n && r.fault == ""; i++ {
		one := Reminder{Name: r.text(), Every: int(r.number()), Text: r.text()}
		r.check(one.Name > last, "its reminders are not in order")
		r.check(one.Every > 0 && one.Text != "", "a reminder is empty")
		last = one.Name
		list = append(list, one)
	}
	return list
}
