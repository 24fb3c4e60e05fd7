import { once } from '@mutsumi/schema'
import template from '../prompts/summary-template.md'
import { withoutTags } from '../text/without-tags.js'

/** The parts of a summary between its headings, in the template's order. */
export type SummaryPart = (typeof parts)[number]

/** In the order of the template's headings. */
const parts = ['title', 'objectives', 'technical', 'milestones', 'insights', 'files'] as const

/** The template of the design, word for word. */
export const summaryTemplate = template.trim()

/** Written if nothing is known. */
export const notRecorded = '(not recorded)'

export interface ReadSummary {
  readonly bodies: ReadonlyMap<SummaryPart, string>
  /** Headings of the template that are missing. */
  readonly missing: readonly string[]
  /** From the title on, without the model's text around it. */
  readonly text: string
}

/**
 * Parses a summary. Headings are recognised by their words: level, emoji, bold type, letter case and text in
 * parentheses do not matter. Text before the title or outside a fence around the whole summary is dropped.
 */
export function readSummary(answer: string): ReadSummary {
  const bodies = new Map<SummaryPart, string[]>()
  let open: string[] | undefined
  const lines = summaryLines(answer)
  for (const line of lines) {
    const part = partAt(line)
    if (part === undefined) open?.push(line)
    else open = openBody(bodies, part)
  }
  return {
    text: lines.join('\n').trim(),
    bodies: new Map([...bodies].map(([part, body]) => [part, body.join('\n').trim()])),
    missing: headings()
      .filter(({ part }) => !bodies.has(part))
      .map(({ words }) => words),
  }
}

export interface SummaryContent {
  /** The line below the title. */
  readonly times: string
  readonly bodies: Readonly<Record<Exclude<SummaryPart, 'title' | 'files'>, string>>
  readonly files: readonly string[]
  readonly commands: readonly string[]
}

/** A summary in the template's form; nothing in it opens or closes one of our blocks. */
export function writeSummary({ times, bodies, files, commands }: SummaryContent): string {
  const sections = headings().map(({ part, line }) => {
    if (part === 'title') return `${line}\n${times}`
    if (part === 'files') return `${line}\n${filesNote}\n${files.join('\n')}`
    return `${line}\n${bodies[part]}`
  })
  return withoutTags([...sections, `${commandsHeading}\n${commands.join('\n')}`].join('\n\n'))
}

const filesNote = '*(Modified files in this archive segment)*'

/** Not in the design's template: commands come from records, so they are separate from the model's text. */
const commandsHeading = '### 💻 Commands'

interface Heading {
  readonly part: SummaryPart
  /** As the template spells it. */
  readonly line: string
  readonly words: string
}

/** Read when they are first needed: the patterns cover every letter and take long to compile. */
const headings = once((): readonly Heading[] =>
  summaryTemplate
    .split('\n')
    .filter((line) => line.startsWith('#'))
    .flatMap((line, index) => {
      const part = parts[index]
      return part ? [{ part, line, words: headingText(line) }] : []
    }),
)

/** The template's own text in a part, which remains if the model did not fill it in. */
export function isUnfilled(part: SummaryPart, body: string): boolean {
  return readTemplate().bodies.get(part) === body
}

function readTemplate(): ReadSummary {
  return readSummary(summaryTemplate)
}

type KnownPart = SummaryPart | 'commands'

/** A model's list of commands must not look like the one from the records. */
const partsByWords = once(
  () =>
    new Map<string, KnownPart>([
      ...headings().map(({ part, words }) => [comparable(words), part] as const),
      [comparable(commandsHeading), 'commands'],
    ]),
)

function partAt(line: string): KnownPart | undefined {
  const mark = line.length > 200 ? undefined : /^\s*(#{1,6}|\*\*|__)/.exec(line)?.[1]
  const part = mark === undefined ? undefined : partsByWords().get(comparable(headingText(line)))
  // "Commands" in bold type may just be a word in a list.
  return part === 'commands' && !mark?.startsWith('#') ? undefined : part
}

/** `### 🏗️ Technical Context (Static)` → `Technical Context` */
function headingText(line: string): string {
  return line
    .replace(/\([^()]*\)/g, ' ')
    .replace(/[^\p{L}\p{N}&]+/gu, ' ')
    .trim()
}

function comparable(words: string): string {
  return (
    words
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.filter((word) => word !== 'and')
      .join(' ') ?? ''
  )
}

/** The lines of a part. A model may repeat a heading; the text under both counts. */
function openBody(bodies: Map<SummaryPart, string[]>, part: KnownPart): string[] {
  const known = part === 'commands' ? [] : (bodies.get(part) ?? [])
  if (part !== 'commands') bodies.set(part, known)
  return known
}

/** The lines of an answer from its title on, without a model's thoughts and without a fence around the whole. */
function summaryLines(answer: string): readonly string[] {
  const lines = answer
    .replace(/^\s*<(think|thinking|analysis)>[\s\S]*?<\/\1>/i, '')
    .replace(/\r\n?/g, '\n')
    .split('\n')
  const title = Math.max(
    0,
    lines.findIndex((line) => partAt(line) === 'title'),
  )
  const before = lines.slice(0, title).findLast((line) => line.trim() !== '')
  const fence = /^\s*(`{3,}|~{3,})/.exec(before ?? '')?.[1]
  const end = fence === undefined ? -1 : lines.findLastIndex((line) => line.trim() === fence)
  return lines.slice(title, end > title ? end : lines.length)
}
