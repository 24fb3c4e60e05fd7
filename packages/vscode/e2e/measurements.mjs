// Numbers of a run, with their bounds. The machine may be loaded, so only ten times a bound is a failure.
const measured = []

export function measure(name, value, { bound, unit }) {
  measured.push({ name, value, bound, unit })
}

/** Prints them, and returns the number of those that are far beyond their bound. */
export function printMeasurements() {
  let bad = 0
  for (const { name, value, bound, unit } of measured) {
    const isFar = value > 10 * bound
    const verdict = value <= bound ? 'within' : isFar ? 'FAIL: more than ten times' : 'OVER'
    if (isFar) bad++
    console.log(`measured ${name}: ${Math.round(value * 100) / 100} ${unit} (${verdict} ${bound} ${unit})`)
  }
  return bad
}
