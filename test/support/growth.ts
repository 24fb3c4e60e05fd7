const factor = 30

/** Five times what linear work would take, a sixth of what quadratic work would. */
export const linear = factor * 5

/** Work that does not depend on the size takes about the same time; linear work would take thirty times as long. */
export const constant = factor / 3

/**
 * How many times longer thirty times the input takes: about 30 where the time is linear, about 900 where it is
 * quadratic. The sizes are a third of the one given and ten times as much.
 */
export function growth<Input>(
  make: (size: number) => Input,
  size: number,
  work: (input: Input) => unknown,
  bound = linear,
): number {
  const small = make(Math.ceil(size / 3))
  const large = make(Math.ceil(size / 3) * factor)
  return timesAsLong(
    () => work(large),
    () => work(small),
    bound,
  )
}

/** The same for work that ends later, at the size given and at thirty times that. */
export function growthOfLater(
  work: (size: number) => Promise<unknown>,
  size: number,
  bound = linear,
): Promise<number> {
  return timesAsLongLater(
    () => work(size * factor),
    () => work(size),
    bound,
  )
}

/**
 * How many times longer than `other` the work takes, in this process's own time: what others do on the machine does
 * not count. An answer above half the bound is asked for again, so that a pause of the machine does not count either.
 */
export function timesAsLong(work: () => unknown, other: () => unknown, bound = linear): number {
  let best = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 12 && best > bound / 2; attempt++) {
    const steady = new Average()
    while (!steady.isEnough) steady.add(timeOf(other))
    best = Math.min(best, timeOf(work) / steady.value)
  }
  return best
}

/** The same for work that ends later. Nothing else may run in this process meanwhile. */
export async function timesAsLongLater(
  work: () => Promise<unknown>,
  other: () => Promise<unknown>,
  bound = linear,
): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 12 && best > bound / 2; attempt++) {
    const steady = new Average()
    while (!steady.isEnough) steady.add(await timeOfLater(other))
    best = Math.min(best, (await timeOfLater(work)) / steady.value)
  }
  return best
}

/** A short work is repeated until the clock can tell how long it takes. */
class Average {
  #total = 0
  #count = 0

  add(milliseconds: number): void {
    this.#total += milliseconds
    this.#count++
  }

  get isEnough(): boolean {
    return this.#total >= (this.#count < 3 ? 100 : 5)
  }

  get value(): number {
    return this.#total / this.#count
  }
}

/** Milliseconds of this process's own. */
export function timeOf(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  return millisecondsSince(before)
}

/** The same for work that ends later. */
export async function timeOfLater(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  return millisecondsSince(before)
}

function millisecondsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
