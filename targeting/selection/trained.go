package selection

import (
	"github.com/inroad/inroad/targeting/selection/source"
)

// measureStaleness counts the methods at the commit of the model, in the languages of the
// files that changed since, and the methods among them that differ from the base.
func (c *comparer) measureStaleness() {
	if len(c.Since) == 0 || c.err != nil {
		return
	}
	changed, languages := map[string]bool{}, map[string]bool{}
	for _, f := range c.Since {
		changed[f.Path] = true
		languages[source.LanguageOf(f.Path)] = true
	}
	delete(languages, "")
	names, err := c.Trained.Files(c.ctx)
	c.err = err
	for _, name := range names {
		if !languages[source.LanguageOf(name)] || source.IsTest(name) || c.isInput(name) {
			continue
		}
		old := c.outline(c.Trained, name)
		if c.err != nil || old == nil {
			continue
		}
		var base *source.File
		if changed[name] {
			base = c.outline(c.Base, name)
		}
		for i := range old.Decls {
			d := &old.Decls[i]
			if d.Kind != source.Function {
				continue
			}
			c.out.Methods++
			if !changed[name] {
				continue
			}
			if base == nil {
				c.out.Stale++
			} else if now := base.Find(d.Name); now == nil || now.Digest != d.Digest {
				c.out.Stale++
			}
		}
	}
}

// atTrained returns the file and the declaration at the commit of the model that d stands
// for: the declaration with the same name in the same file or, if it was moved or renamed
// since, another one; nil if there is none.
func (c *comparer) atTrained(file string, d *source.Decl) (string, *source.Decl) {
	if from, ok := c.moved[d]; ok {
		file, d = from.file, from.decl
	}
	if f := c.outline(c.Trained, file); f != nil {
		if old := f.Find(d.Name); old != nil && old.Kind == d.Kind {
			return file, old
		}
	}
	if c.Trained == c.Base || d.Short == "" {
		return "", nil
	}
	if c.trained == nil {
		c.trained = c.indexTrained()
	}
	return c.trained.find(d)
}

// minSimilarity is the least share of common tokens for a deleted and an added method to
// count as the same method.
const minSimilarity = 0.6

// A trainedIndex finds declarations in files that differ between the model's commit and
// the base.
type trainedIndex struct {
	byName map[trainedKey][]declRef
	gone   map[trainedKey][]declRef // declarations that the base lacks; the keys have no name
}

type trainedKey struct {
	kind         source.Kind
	short, owner string
}

func (c *comparer) indexTrained() *trainedIndex {
	x := &trainedIndex{map[trainedKey][]declRef{}, map[trainedKey][]declRef{}}
	for _, f := range c.Since {
		if f.New || source.LanguageOf(f.Path) == "" || source.IsTest(f.Path) {
			continue
		}
		outline := c.outline(c.Trained, f.Path)
		if outline == nil {
			continue
		}
		for i := range outline.Decls {
			d := &outline.Decls[i]
			key := trainedKey{d.Kind, d.Short, d.Owner}
			x.byName[key] = append(x.byName[key], declRef{f.Path, outline, d})
			if base := c.outline(c.Base, f.Path); d.Kind == source.Function && (base == nil || base.Find(d.Name) == nil) {
				key.short = ""
				x.gone[key] = append(x.gone[key], declRef{f.Path, outline, d})
			}
		}
	}
	return x
}

// find returns the declaration with the same name and content, or else the only one with
// the same name, or else the most similar deleted one, which may have been renamed.
func (x *trainedIndex) find(d *source.Decl) (string, *source.Decl) {
	found := x.byName[trainedKey{d.Kind, d.Short, d.Owner}]
	for _, ref := range found {
		if ref.decl.Body == d.Body {
			return ref.file, ref.decl
		}
	}
	if len(found) == 1 {
		return found[0].file, found[0].decl
	}
	var best declRef
	most := minSimilarity
	for _, ref := range x.gone[trainedKey{kind: d.Kind, owner: d.Owner}] {
		if s := source.Similarity(ref.decl, d); s >= most {
			best, most = ref, s
		}
	}
	return best.file, best.decl
}
