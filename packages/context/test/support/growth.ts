const factor = 30

/** Five times what linear work would take, a sixth of what quadratic work would. */
export const linear = factor * 5

/**
 * How many times longer thirty times the input takes: about 30 where the time is linear, about 900 where it is
 * quadratic. A doubtful answer is asked for again, so that a pause of the machine does not count.
 */
export function growth(
  make: (size: number) => string,
  size: number,
  work: (text: string) => unknown,
): number {
  const small = make(Math.ceil(size / 3))
  const large = make(Math.ceil(size / 3) * factor)
  let best = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 12 && best > linear / 2; attempt++)
    best = Math.min(best, timeOf(work, large) / steadyTimeOf(work, small))
  return best
}

/** A short work is repeated until the clock can tell how long it takes. */
function steadyTimeOf(work: (text: string) => unknown, text: string): number {
  let total = 0
  let count = 0
  for (; total < 5 || count < 3; count++) total += timeOf(work, text)
  return total / count
}

/** Milliseconds of this process's own: what others do on the machine does not count. */
function timeOf(work: (text: string) => unknown, text: string): number {
  const before = process.cpuUsage()
  work(text)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
