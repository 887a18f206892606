package selection

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
)

// BenchmarkSelect selects among 10,000 inputs of 1 KB, with predictions by the
// model or from a cache.
func BenchmarkSelect(b *testing.B) {
	m := train(b, 1000)
	r := rand.New(rand.NewPCG(1, 1))
	var texts []string
	for range 10_000 {
		var text strings.Builder
		text.WriteString("[1")
		for text.Len() < 1023 {
			text.WriteString("," + draw(r, 1)[0])
		}
		texts = append(texts, text.String()+"]")
	}
	cache := NewCache(m.Digest, len(m.Units))
	predict(b, m, texts, PredictOptions{Cache: cache, Workers: runtime.GOMAXPROCS(0)})
	var file bytes.Buffer
	if err := cache.Write(&file); err != nil {
		b.Fatal(err)
	}
	change := changeOf(b, m, "object", "null")
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			p := predict(b, m, texts, PredictOptions{Workers: runtime.GOMAXPROCS(0)})
			Select(m, p.Inputs, p, change, Defaults())
		}
	})
	b.Run("warm", func(b *testing.B) {
		for b.Loop() {
			kept, err := ReadCache(bytes.NewReader(file.Bytes()), m.Digest, len(m.Units))
			if err != nil {
				b.Fatal(err)
			}
			p := predict(b, m, texts, PredictOptions{Cache: kept, Workers: runtime.GOMAXPROCS(0)})
			Select(m, p.Inputs, p, change, Defaults())
		}
	})
}
