// A terminal's screen as an SVG. Text stays text, so it is sharp at any size, and a diff shows its changes.

const cell = { width: 8.4, height: 18 }
const padding = 14
const bar = 30
const look = { background: '#16181d', text: '#d7dae0', frame: '#2a2e37', dim: 0.6 }
const palette = [
  '#3b4048',
  '#e06c75',
  '#98c379',
  '#e5c07b',
  '#61afef',
  '#c678dd',
  '#56b6c2',
  '#d7dae0',
  '#7f848e',
  '#ef7f88',
  '#a9d488',
  '#f0cd8a',
  '#74bdf8',
  '#d28bea',
  '#69c8d4',
  '#ffffff',
]

/** The rows `from` up to `to` of an `@xterm/headless` buffer, in a window with a title. */
export function terminalSvg(buffer, { columns, from, to, title, cursor }) {
  const rows = Array.from({ length: to - from }, (_, index) => runsOf(buffer.getLine(from + index), columns))
  const width = Math.ceil(columns * cell.width + 2 * padding)
  const height = Math.ceil(rows.length * cell.height + bar + 2 * padding)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" rx="8" fill="${look.background}" stroke="${look.frame}"/>`,
    ...['#e06c75', '#e5c07b', '#98c379'].map(
      (color, index) => `<circle cx="${18 + index * 18}" cy="${bar / 2}" r="5" fill="${color}"/>`,
    ),
    `<text x="${width / 2}" y="${bar / 2 + 4}" fill="${palette[8]}" font-family="sans-serif" font-size="12" text-anchor="middle">${escaped(title)}</text>`,
    `<g font-family="ui-monospace, 'DejaVu Sans Mono', 'Noto Sans Mono CJK SC', Menlo, Consolas, monospace" font-size="14">`,
    ...rows.flatMap((runs, row) => runs.map((run) => runSvg(run, row))),
    ...(cursor ? [cursorSvg(cursor)] : []),
    '</g>',
    '</svg>',
    '',
  ].join('\n')
}

const left = (column) => (padding + column * cell.width).toFixed(1)
const top = (row) => bar + padding + row * cell.height

function cursorSvg({ row, column }) {
  return `<rect x="${left(column)}" y="${top(row)}" width="${cell.width}" height="${cell.height}" fill="${look.text}" opacity="0.7"/>`
}

function runSvg({ text, column, columns, color, background, bold, dim, italic, underline }, row) {
  const width = (columns * cell.width).toFixed(1)
  const box =
    background === undefined
      ? ''
      : `<rect x="${left(column)}" y="${top(row)}" width="${width}" height="${cell.height}" fill="${background}"/>`
  if (text.trim() === '') return box
  const style = [
    `fill="${color}"`,
    bold ? 'font-weight="bold"' : '',
    dim ? `opacity="${look.dim}"` : '',
    italic ? 'font-style="italic"' : '',
    underline ? 'text-decoration="underline"' : '',
  ].filter((part) => part !== '')
  return `${box}<text x="${left(column)}" y="${top(row) + 13}" textLength="${width}" lengthAdjust="spacingAndGlyphs" ${style.join(' ')}>${escaped(text).replaceAll(' ', '&#160;')}</text>`
}

/** Joins adjacent cells of the same style into one piece of text. */
function runsOf(line, columns) {
  const runs = []
  for (let column = 0; line && column < columns; column++) {
    const each = line.getCell(column)
    const width = each.getWidth()
    if (width === 0) continue
    const style = styleOf(each)
    const last = runs.at(-1)
    const text = each.getChars() || ' '
    if (last && last.key === style.key && last.column + last.columns === column) {
      last.text += text
      last.columns += width
    } else runs.push({ ...style, text, column, columns: width })
  }
  return runs.map((run) => (run.background === undefined ? withoutBlanks(run) : run))
}

/** Text is stretched to its columns, so spaces at its ends are removed. */
function withoutBlanks(run) {
  const before = run.text.length - run.text.trimStart().length
  const after = run.text.length - run.text.trimEnd().length
  return { ...run, text: run.text.trim(), column: run.column + before, columns: run.columns - before - after }
}

function styleOf(each) {
  const inverse = each.isInverse() !== 0
  const text = each.isFgDefault() ? look.text : colorOf(each.getFgColor(), each.isFgRGB())
  const behind = each.isBgDefault() ? undefined : colorOf(each.getBgColor(), each.isBgRGB())
  const style = {
    color: inverse ? (behind ?? look.background) : text,
    background: inverse ? text : behind,
    bold: each.isBold() !== 0,
    dim: each.isDim() !== 0,
    italic: each.isItalic() !== 0,
    underline: each.isUnderline() !== 0,
  }
  return { ...style, key: JSON.stringify(style) }
}

function colorOf(value, isRgb) {
  if (isRgb) return `#${value.toString(16).padStart(6, '0')}`
  if (value < 16) return palette[value]
  if (value >= 232) return `#${(8 + (value - 232) * 10).toString(16).padStart(2, '0').repeat(3)}`
  const level = (index) => (index === 0 ? 0 : 55 + index * 40).toString(16).padStart(2, '0')
  const cube = value - 16
  return `#${level(Math.floor(cube / 36))}${level(Math.floor(cube / 6) % 6)}${level(cube % 6)}`
}

function escaped(text) {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}
