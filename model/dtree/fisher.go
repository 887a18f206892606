package dtree

// FisherExact returns the p-value of Fisher's exact test, two-sided: the
// probability that two samples of the same population differ at least as much
// as a positives among n rows and b positives among m rows.
func FisherExact(a, n, b, m int) float64 {
	positives := a + b
	// Given the sum of the positives, the first sample has k with a probability
	// proportional to weight(k), and weight(k+1) = weight(k) * up(k).
	least, most := max(0, positives-m), min(n, positives)
	up := func(k int) float64 {
		return float64(n-k) * float64(positives-k) / (float64(k+1) * float64(m-positives+k+1))
	}
	mode := int(float64(n+1) * float64(positives+1) / float64(n+m+2))
	mode = min(max(mode, least), most)
	observed := 1.0 // weight of a, if that of the mode is 1
	for k := mode; k < a; k++ {
		observed *= up(k)
	}
	for k := mode; k > a; k-- {
		observed /= up(k - 1)
	}
	if observed < 1e-300 { // the tail may underflow
		return 0
	}
	const tolerance = 1 + 1e-7 // equal weights may differ by rounding
	total, tail := 0.0, 0.0
	add := func(weight float64) (more bool) {
		total += weight
		if weight <= observed*tolerance {
			tail += weight
		}
		return weight > observed*1e-20 // the rest is negligible
	}
	add(1)
	for k, weight := mode, 1.0; k < most; k++ {
		if weight *= up(k); !add(weight) {
			break
		}
	}
	for k, weight := mode, 1.0; k > least; k-- {
		if weight /= up(k - 1); !add(weight) {
			break
		}
	}
	return tail / total
}
