package observation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// unitNames are the IDs of units in the lines of a file.
type unitNames struct {
	interned map[string]string
	numbered []string // by number
	ids      []string // of the current list
}

// maxInterned limits the number of interned IDs.
const maxInterned = 1 << 20

// number numbers the units of a header, beginning with the number from: 0, or the one
// after the last. It reports whether the meaning of earlier numbers has changed.
func (n *unitNames) number(from int, units []Unit) (changed bool, err error) {
	if from != 0 && from != len(n.numbered) {
		return false, fmt.Errorf("from %d: must be 0 or %d, the number of units in the headers above", from, len(n.numbered))
	}
	if len(units) == 0 {
		return false, nil
	}
	for i, u := range units {
		id := n.intern([]byte(u.ID))
		if from+i == len(n.numbered) {
			n.numbered = append(n.numbered, id)
		} else if n.numbered[i] != id {
			n.numbered[i], changed = id, true
		}
	}
	if count := from + len(units); count < len(n.numbered) {
		n.numbered, changed = n.numbered[:count], true
	}
	return changed, nil
}

// list decodes a JSON array of IDs and numbers of units. It returns nil for null, and for
// a field that is absent.
func (n *unitNames) list(array json.RawMessage) ([]string, error) {
	switch {
	case len(array) == 0 || array[0] == 'n':
		return nil, nil
	case array[0] != '[':
		return nil, &typeError{jsonKind(array[0]), "an array"}
	}
	n.ids = n.ids[:0]
	for rest := skip(array[1:]); rest[0] != ']'; {
		end := elementEnd(rest)
		id, err := n.unit(rest[:end])
		if err != nil {
			return nil, err
		}
		n.ids = append(n.ids, id)
		rest = skip(rest[end:])
	}
	return append(make([]string, 0, len(n.ids)), n.ids...), nil
}

// skip removes white space and commas before an element of an array.
func skip(rest []byte) []byte {
	for i, c := range rest {
		if c != ',' && c > ' ' {
			return rest[i:]
		}
	}
	return nil
}

// elementEnd returns where the first element of the rest of an array ends. A nested array
// or object may end later.
func elementEnd(rest []byte) int {
	if rest[0] != '"' {
		return slices.IndexFunc(rest, func(c byte) bool { return c <= ' ' || c == ',' || c == ']' })
	}
	for end := 1; ; end++ {
		end += bytes.IndexByte(rest[end:], '"')
		before := bytes.TrimRight(rest[:end], `\`)
		if (end-len(before))%2 == 0 { // the backslashes escape each other
			return end + 1
		}
	}
}

// unit returns the ID of a unit, which is a JSON string or number.
func (n *unitNames) unit(value []byte) (string, error) {
	switch kind := jsonKind(value[0]); kind {
	case "string":
		text := value[1 : len(value)-1]
		if bytes.IndexByte(text, '\\') < 0 {
			return n.intern(text), nil
		}
		var id string
		if err := json.Unmarshal(value, &id); err != nil {
			return "", err
		}
		return n.intern([]byte(id)), nil
	case "number":
		number, err := strconv.ParseUint(string(value), 10, 31)
		if err != nil || number >= uint64(len(n.numbered)) {
			return "", fmt.Errorf("unit %s: must be a whole number below %d, the number of units in the headers above", value, len(n.numbered))
		}
		return n.numbered[number], nil
	default:
		return "", &typeError{kind, "a string or a number"}
	}
}

// intern returns the same string for equal IDs.
func (n *unitNames) intern(id []byte) string {
	if known, ok := n.interned[string(id)]; ok {
		return known
	}
	own := string(id)
	if len(n.interned) < maxInterned {
		n.interned[own] = own
	}
	return own
}

// A typeError reports a JSON value of another type than expected.
type typeError struct{ got, want string }

func (e *typeError) Error() string {
	return fmt.Sprintf("unexpected JSON %s, must be %s", e.got, e.want)
}

// jsonKind returns the type of a JSON value that begins with a character.
func jsonKind(first byte) string {
	switch first {
	case '"':
		return "string"
	case '{':
		return "object"
	case '[':
		return "array"
	case 't', 'f':
		return "bool"
	case 'n':
		return "null"
	default:
		return "number"
	}
}

// A numbering has the numbers of units that a writer uses instead of IDs.
type numbering struct {
	on      bool
	numbers map[string]int
	units   int
}

// add numbers the units of a header, and returns the first number. Numbers are used from
// the first header on that has blocks or lines, of which an input may reach thousands.
func (n *numbering) add(units []Unit) (from int) {
	if !n.on {
		n.on = slices.ContainsFunc(units, func(u Unit) bool { return u.Kind == KindBlock || u.Kind == KindLine })
	}
	if !n.on {
		return 0
	}
	if n.numbers == nil {
		n.numbers = make(map[string]int, len(units))
	}
	from = n.units
	for _, u := range units {
		n.numbers[u.ID] = n.units
		n.units++
	}
	return from
}

// list returns a value that is encoded as a JSON list of units: nil, strings, or an array
// in which numbered units are numbers.
func (n *numbering) list(ids []string) any {
	switch {
	case ids == nil:
		return nil
	case !n.on:
		return ids
	}
	array := make(json.RawMessage, 0, 6*len(ids)+2)
	array = append(array, '[')
	for i, id := range ids {
		if i > 0 {
			array = append(array, ',')
		}
		if number, ok := n.numbers[id]; ok {
			array = strconv.AppendInt(array, int64(number), 10)
			continue
		}
		text, _ := json.Marshal(id) // a string has a JSON form
		array = append(array, text...)
	}
	return append(array, ']')
}
