import { type Line, span } from '../text/span.js'
import { visibleLine } from '../text/visible-text.js'
import { wrap } from '../text/wrap.js'
import type { CommandWorld, SlashCommand } from './command.js'

export const help: SlashCommand = {
  name: 'help',
  about: ({ about }) => about.help,
  isAlwaysReady: true,
  run: showHelp,
}

function showHelp({ words, width, print, offered }: CommandWorld): void {
  const { commands } = words
  const rows = offered().map(({ name, about }) => [`/${name}`, about] as const)
  print([
    ...table(rows, width),
    [],
    [span(commands.keysTitle, { bold: true })],
    ...table(commands.keys, width),
  ])
}

function table(rows: readonly (readonly [string, string])[], width: number): Line[] {
  return rows.flatMap(([name, about]) =>
    wrap(
      [span(`  ${visibleLine(name)}`, { color: 'cyan' }), span('  '), span(visibleLine(about))],
      width,
    ).map((line, index) => (index === 0 ? line : [span('    '), ...line])),
  )
}
