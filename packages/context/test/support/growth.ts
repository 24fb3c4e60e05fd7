/** Well above linear and its noise, well below quadratic. */
export const linear = 40

/**
 * How many times longer ten times the input takes: about 10 where the time is linear, about 100 where it is
 * quadratic. A doubtful answer is asked for again, so that a pause of the machine does not count.
 */
export function growth(
  make: (size: number) => string,
  size: number,
  work: (text: string) => unknown,
): number {
  const small = make(size)
  const large = make(size * 10)
  let best = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 5 && best > linear / 2; attempt++) {
    // Below a millisecond the clock and the machine say more than the work does.
    const unit = Math.max(1, Math.min(timeOf(work, small), timeOf(work, small), timeOf(work, small)))
    best = Math.min(best, timeOf(work, large) / unit)
  }
  return best
}

function timeOf(work: (text: string) => unknown, text: string): number {
  const start = performance.now()
  work(text)
  return performance.now() - start
}
