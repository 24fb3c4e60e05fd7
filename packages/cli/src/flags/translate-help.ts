import type { EventEmitter } from 'node:events'
import { type Command, Help, type Option } from 'commander'
import { displayWidth } from '../terminal/display-width.js'
import { sayWord } from '../words/say.js'
import { safeOutput } from './command-parts.js'
import { sayCommanderError } from './commander-errors.js'

/** Help and errors in the reader's language, for a command and all below it. Names and values stay as typed. */
export function translateHelp(command: Command): void {
  command.configureHelp({
    styleTitle: sayWord,
    styleUsage: (usage) => usage.replace(/\[(?:options|command)\]/g, sayWord),
    commandDescription: (described) => description(described.description()),
    subcommandDescription: (described) => description(described.description()),
    optionDescription: (option) => described(Help.prototype.optionDescription, option),
    argumentDescription: (argument) => described(Help.prototype.argumentDescription, argument),
    boxWrap: wrapText,
  })
  command.configureOutput({
    outputError: (text, write) => safeOutput.outputError(sayCommanderError(text), write),
  })
  command.helpOption('-h, --help', sayWord('display help for command'))
  translateAfter(command)
  for (const inner of command.commands) translateHelp(inner)
}

/** Commander adds choices and defaults to a description. */
function described<Described extends Pick<Option, 'description'>>(
  describe: (this: Help, part: Described) => string,
  part: Described,
): string {
  const translated: Described = Object.create(part, { description: { value: description(part.description) } })
  const text = describe.call(new Help(), translated)
  return text.replace(/ \((choices|default): ([^()]*)\)$/, (_, name: string, value: string) => {
    return `（${sayWord(name)}：${sayWord(value)}）`
  })
}

/** The shape of JSON is the same in every language. */
function description(text: string): string {
  const shape = /^print (\{.*)$/.exec(text)?.[1]
  return shape === undefined ? sayWord(text) : `${sayWord('print')} ${shape}`
}

/** Examples, and what follows them. */
function translateAfter(command: Command): void {
  // Commander's types leave out what a command inherits.
  const events = command as unknown as EventEmitter
  const listeners = events.listeners('afterHelp')
  events.removeAllListeners('afterHelp')
  for (const listener of listeners)
    command.on('afterHelp', (context: { readonly write: (text: string) => void }) =>
      listener.call(command, { ...context, write: (text: string) => context.write(textAfter(text)) }),
    )
}

function textAfter(text: string): string {
  return text.split('\n\n').map(paragraph).join('\n\n')
}

/** Prose is translated as a whole; among examples, each line and what is said beside it. */
function paragraph(text: string): string {
  const whole = text.trim().replaceAll('\n', ' ')
  const translated = sayWord(whole)
  return translated === whole ? text.split('\n').map(line).join('\n') : text.replace(text.trim(), translated)
}

function line(text: string): string {
  const [, example = '', about = ''] = /^(\s+\S.*?\s{2,})(\S.*)$/.exec(text) ?? []
  return about === '' ? text.replace(/\S.*$/, sayWord) : example + sayWord(about)
}

/** Commander breaks lines at spaces only. */
export function wrapText(text: string, width: number): string {
  return text
    .split('\n')
    .map((line) => wrapLine(line, width))
    .join('\n')
}

function wrapLine(text: string, width: number): string {
  const rows = ['']
  for (const [part] of text.matchAll(breakable)) {
    const row = `${rows.at(-1)}${part}`
    if (displayWidth(row.trimEnd()) <= width || rows.at(-1) === '') rows[rows.length - 1] = row
    else rows.push(part.trimStart())
  }
  return rows.map((row) => row.trimEnd()).join('\n')
}

/** Words, spaces, and East Asian letters one by one, with the marks that may not begin a row. */
const breakable = /[^\s\u2e80-\uffff]+|[（《「【]*[\u2e80-\uffff][，。；：、）！？》]*|\s+/gu
