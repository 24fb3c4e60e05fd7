/** Milliseconds of one call. */
export async function time(work) {
  const started = performance.now()
  await work()
  return performance.now() - started
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/**
 * Medians of several works, measured in turns, so that a busy moment of the machine affects all of them. `repeat`
 * names the number of repetitions per sample for a work that is much shorter than the others. Then each sample
 * includes its share of garbage collection.
 */
export async function compare(works, { runs = 15, warmUp = 3, repeat = {} } = {}) {
  const times = Object.fromEntries(Object.keys(works).map((name) => [name, []]))
  for (let run = -warmUp; run < runs; run++) {
    for (const [name, work] of Object.entries(works)) {
      const count = repeat[name] ?? 1
      const elapsed = await time(async () => {
        for (let done = 0; done < count; done++) await work()
      })
      if (run >= 0) times[name].push(elapsed / count)
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, values]) => [name, median(values)]))
}

/** The factor by which ten times the input costs more. */
export async function growth(one, ten, options = {}) {
  const times = await compare({ one, ten }, { repeat: { one: 10 }, ...options })
  return { ratio: times.ten / times.one, ...times }
}
