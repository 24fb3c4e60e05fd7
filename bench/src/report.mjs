/** A number with its bound: `atMost`, `atLeast`, or neither if it is only for reading. */
export function row(name, value, bound = {}, detail = '') {
  return { name, value, ...bound, detail }
}

/** Prints the rows of one bench. Returns false if a bound is broken. */
export function printRows(title, rows) {
  console.log(`\n${title}`)
  for (const { name, value, atMost, atLeast, unit = '×', detail } of rows) {
    const bound =
      atMost !== undefined ? `≤ ${atMost}${unit}` : atLeast !== undefined ? `≥ ${atLeast}${unit}` : ''
    const mark = bound === '' ? ' ' : holds({ value, atMost, atLeast }) ? '✓' : '✗'
    console.log(
      `  ${mark} ${name.padEnd(58)} ${`${format(value)}${unit}`.padStart(10)}  ${bound.padEnd(9)} ${detail}`,
    )
  }
  return rows.every(holds)
}

function holds({ value, atMost = Number.POSITIVE_INFINITY, atLeast = Number.NEGATIVE_INFINITY }) {
  return value <= atMost && value >= atLeast
}

export function format(value) {
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(2)
}

export function milliseconds(...values) {
  return values.map((value) => `${value.toFixed(value < 1 ? 3 : 1)} ms`).join(' / ')
}
