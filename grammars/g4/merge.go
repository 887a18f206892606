package g4

import (
	"context"
	"errors"
)

// MaxMergeSteps limits the steps of [File.MergeLiterals]. Rules that refer to each other
// can make literals exponentially longer than their file.
const MaxMergeSteps = 20_000_000

// ErrMerge is the error of a file whose literals take more than [MaxMergeSteps] to merge.
var ErrMerge = errors.New("too many steps to merge literals")

// MergeLiterals replaces adjacent literals in the rules of a scannerless grammar by one
// literal. A reference after a literal counts as a literal if its rule is a single
// literal. Rules that no rule refers to are then removed, except the first. The error is
// [ErrMerge], or the cause of ctx's cancellation.
func (f *File) MergeLiterals(ctx context.Context) (err error) {
	defer catch(&err)
	steps := 0
	for merged := true; merged; {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		m := &merger{rules: map[string]*Literal{}, steps: &steps}
		for _, r := range f.Rules {
			m.step(1)
			if len(r.Body.Alts) == 1 && len(r.Body.Alts[0].Elements) == 1 {
				if lit, ok := r.Body.Alts[0].Elements[0].(*Literal); ok {
					m.rules[r.Name] = lit
				}
			}
		}
		used := map[string]bool{}
		for _, r := range f.Rules {
			m.block(r.Body)
			for e := range r.Body.Elements() {
				if ref, ok := e.(*Ref); ok {
					used[ref.Name] = true
				}
			}
		}
		kept := f.Rules[:0]
		for i, r := range f.Rules {
			if i == 0 || used[r.Name] {
				kept = append(kept, r)
			}
		}
		merged = m.merged || len(kept) < len(f.Rules)
		f.Rules = kept
	}
	return nil
}

// A merger merges literals.
type merger struct {
	rules  map[string]*Literal // by name: rules that are a single literal
	merged bool
	steps  *int // of all rounds
}

func (m *merger) step(n int) {
	if *m.steps += n; *m.steps > MaxMergeSteps {
		panic(stopped{ErrMerge})
	}
}

func (m *merger) block(b *Block) {
	for _, alt := range b.Alts {
		var out []Element
		for _, e := range alt.Elements {
			m.step(1)
			last := m.last(out)
			if lit := m.literal(e); last != nil && lit != nil {
				m.merged = true
				m.step(len(last.Text) + len(lit.Text))
				out[len(out)-1] = &Literal{Pos: last.Pos, Text: last.Text + lit.Text, Value: last.Value + lit.Value}
				continue
			}
			m.inside(e)
			out = append(out, e)
		}
		alt.Elements = out
	}
}

func (m *merger) last(elements []Element) *Literal {
	if len(elements) == 0 {
		return nil
	}
	lit, _ := elements[len(elements)-1].(*Literal)
	return lit
}

// literal returns the literal that an element stands for, or nil.
func (m *merger) literal(e Element) *Literal {
	switch e := e.(type) {
	case *Literal:
		return e
	case *Ref:
		return m.rules[e.Name]
	default:
		return nil
	}
}

// inside merges the literals inside an element.
func (m *merger) inside(e Element) {
	switch e := e.(type) {
	case *Block:
		m.block(e)
	case *Repeat:
		m.inside(e.Body)
	case *Labeled:
		m.inside(e.Body)
	}
}
