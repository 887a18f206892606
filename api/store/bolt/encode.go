package bolt

import "github.com/inroad/inroad/api/store/internal/encoding"

func encode(v any) ([]byte, error) { return encoding.Encode(v) }

func decode(data []byte, v any) error { return encoding.Decode(data, v) }

// decodeAll decodes all values of a bucket, in the order of their keys.
func decodeAll[T any](b *bucket) ([]T, error) {
	var out []T
	for e, err := range b.all() {
		var v T
		if err == nil {
			err = decode(e.value, &v)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}
