let {floor, sqrt, max, min, random} = Math

const sum = (values, initial = 0) => values.reduce((total, value) => total + value, initial)
const mean = values => sum(values) / values.length

function variance (sample, {corrected = true} = {}) {
  const average = mean(sample)
  const squares = sample.map(x => (x - average) * (x - average))
  return sum(squares) / (sample.length - (corrected ? 1 : 0))
}

const deviation = (...numbers) => sqrt(variance(numbers))

function * fibonacci (count) {
  let previous = 0
  let following = 1
  for (let step = 0; step < count; step++) {
    yield previous
    let swap = following
    following = previous + following
    previous = swap
  }
}

function histogram (data, bins) {
  const low = min(...data)
  const high = max(...data)
  const width = (high - low) / bins || 1
  const buckets = new Array(bins).fill(0)
  for (const datum of data) {
    const bucket = min(bins - 1, floor((datum - low) / width))
    buckets[bucket] += 1
  }
  return { low, high, width, buckets }
}

function quantile (sorted, fraction) {
  const place = (sorted.length - 1) * fraction
  const base = floor(place)
  const remainder = place - base
  return sorted[base + 1] === undefined
    ? sorted[base]
    : sorted[base] + remainder * (sorted[base + 1] - sorted[base])
}

function shuffle (deck) {
  for (let last = deck.length - 1; last > 0; last--) {
    const chosen = floor(random() * (last + 1));
    [deck[last], deck[chosen]] = [deck[chosen], deck[last]]
  }
  return deck
}

const report = (title, series) => `${title}: mean ${mean(series).toFixed(2)}, median ${
  quantile([...series].sort((first, second) => first - second), 0.5)}, flags 0x${(series.length & 0xff).toString(16)}`

module.exports = { sum, mean, variance, deviation, fibonacci, histogram, quantile, shuffle, report }
