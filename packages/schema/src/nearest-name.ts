/** The name that was probably meant: it differs in letter case, or in at most a third of its letters. */
export function nearestName(wanted: string, names: readonly string[]): string | undefined {
  const ranked = names
    // A name of quite another length cannot be near, and need not be compared letter by letter.
    .filter((name) => Math.abs(name.length - wanted.length) <= tolerance(name))
    .map((name) => ({ name, distance: editDistance(wanted.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= tolerance(name))
    .map((each) => ({ ...each, longer: Math.abs(each.name.length - wanted.length) }))
    .sort((one, other) => one.distance - other.distance || one.longer - other.longer)
  return ranked[0]?.name
}

function tolerance(name: string): number {
  return Math.ceil(name.length / 3)
}

/** The number of letters to insert, remove, replace or swap with the next to turn one word into the other. */
function editDistance(one: string, other: string): number {
  let above: readonly number[] = []
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1]
    for (let at = 1; at <= other.length; at++) {
      const replaced = (row[at - 1] ?? 0) + (letter === other[at - 1] ? 0 : 1)
      const isSwapped = index > 0 && at > 1 && letter === other[at - 2] && one[index - 1] === other[at - 1]
      const swapped = isSwapped ? (above[at - 2] ?? 0) + 1 : replaced
      next.push(Math.min(replaced, swapped, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1))
    }
    above = row
    row = next
  }
  return row[other.length] ?? 0
}
