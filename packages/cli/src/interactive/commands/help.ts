import { displayWidth } from '../../terminal/display-width.js'
import { type Line, span } from '../text/span.js'
import { sentence } from '../text/text-lines.js'
import { visibleLine } from '../text/visible-text.js'
import { wrap } from '../text/wrap.js'
import type { Words } from '../words/words.js'
import type { CommandWorld, SlashCommand } from './command.js'

export const help: SlashCommand = {
  name: 'help',
  about: ({ about }) => about.help,
  isAlwaysReady: true,
  run: showHelp,
}

function showHelp({ words, width, print, offered }: CommandWorld, topic: string): void {
  const { commands } = words
  if (topic === keysTopic) return print(keyLines(words, width))
  const rows = offered().map(({ name, about }) => [`/${name}`, about] as const)
  const also = offered().flatMap(({ name, others = [] }) =>
    others.length === 0 ? [] : `${others.map((other) => `/${other}`).join(' ')} → /${name}`,
  )
  print([
    ...table(rows, width),
    ...sentence(`${commands.also} ${also.join(', ')}`, width, { dim: true }),
    [],
    ...keyLines(words, width),
  ])
}

/** `/help keys` shows only the keys; so does `?`. */
export const keysTopic = 'keys'

export function keyLines({ commands }: Words, width: number): Line[] {
  return [[span(commands.keysTitle, { bold: true })], ...table(commands.keys, width)]
}

/** If the column of descriptions would be narrower, each description goes below its name. */
const narrowest = 24

function table(rows: readonly (readonly [string, string])[], width: number): Line[] {
  const names = rows.map(([name]) => visibleLine(name))
  const widest = Math.max(0, ...names.map(displayWidth))
  const isBeside = width - widest - 4 >= narrowest
  const indent = isBeside ? widest + 4 : 6
  return rows.flatMap(([, about], index) => {
    const name = names[index] ?? ''
    const [first = [], ...more] = wrap([span(visibleLine(about))], Math.max(10, width - indent))
    const head = span(`  ${name}`, { color: 'cyan' })
    const below = (isBeside ? more : [first, ...more]).map((row): Line => [span(' '.repeat(indent)), ...row])
    if (!isBeside) return [...wrap([head], width), ...below]
    return [[head, span(' '.repeat(indent - 2 - displayWidth(name))), ...first], ...below]
  })
}
