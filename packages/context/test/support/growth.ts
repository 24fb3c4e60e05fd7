/**
 * How many times longer ten times the input takes: about 10 where the time is linear, about 100 where it is
 * quadratic. The best of several runs counts, so that a pause of the machine does not.
 */
export function growth(
  make: (size: number) => string,
  size: number,
  work: (text: string) => unknown,
): number {
  const small = make(size)
  const large = make(size * 10)
  work(small)
  // Below a millisecond the clock and the machine say more than the work does.
  return (
    bestTime(() => work(large)) /
    Math.max(
      bestTime(() => work(small)),
      1,
    )
  )
}

/** Well above linear and its noise, well below quadratic. */
export const linear = 40

function bestTime(work: () => unknown): number {
  const times: number[] = []
  while (times.length < 3 && sum(times) < 150) {
    const start = performance.now()
    work()
    times.push(performance.now() - start)
  }
  return Math.min(...times)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
