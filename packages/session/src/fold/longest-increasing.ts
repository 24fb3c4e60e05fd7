/** The longest increasing subsequence: these cells stay while the others move. */
export function longestIncreasing(numbers: readonly number[]): readonly number[] {
  /** For each length, the position where an increasing subsequence ends with the lowest number. */
  const ends: number[] = []
  const before: (number | undefined)[] = []
  for (const [at, number] of numbers.entries()) {
    const length = firstNotBelow(ends, (end) => (numbers[end] as number) >= number)
    before.push(ends[length - 1])
    ends[length] = at
  }
  const rise: number[] = []
  for (let at = ends.at(-1); at !== undefined; at = before[at]) rise.push(numbers[at] as number)
  return rise.reverse()
}

function firstNotBelow(list: readonly number[], isReached: (value: number) => boolean): number {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (isReached(list[middle] as number)) high = middle
    else low = middle + 1
  }
  return low
}
