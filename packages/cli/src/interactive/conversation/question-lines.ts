import { localQuestion, type UndoLimit } from '@mutsumi/host'
import type { PermissionQuestion } from '@mutsumi/tools'
import { type Line, span } from '../text/span.js'
import { visibleLine, visibleLines } from '../text/visible-text.js'
import { wrap } from '../text/wrap.js'
import type { Words } from '../words/words.js'
import { lookAlikes, spelledOut } from './look-alikes.js'
import type { ApprovalChoice, OpenQuestion } from './question.js'

interface Surroundings {
  readonly root: string
  readonly width: number
  readonly words: Words
}

/** The question in lines: agent, call, place and reason. They go to the scrollback, so they can be long. */
export function questionLines(asked: PermissionQuestion, { root, width, words }: Surroundings): Line[] {
  const question = localQuestion(asked, words.language)
  const { call, effect, touched, agent } = question
  const said = words.approval
  const places = touched.paths?.filter((path) => path !== '.') ?? []
  const place = places.length > 0 ? places.join(', ') : root
  const reason = reasonOf(question)
  return [
    ...wrap(
      [
        span(`? ${said.title(visibleLine(call.name))}`, { bold: true, color: 'yellow' }),
        span(words.marks.inBrackets(said.effects[effect]), { dim: true }),
      ],
      width,
    ),
    ...(agent === undefined ? [] : wrap([span(said.agent(visibleLine(agent)))], width)),
    ...(touched.command === undefined ? [] : commandLines(touched.command)),
    ...lookAlikeLines(touched.command ?? '', { width, words }),
    ...partLines(question, width),
    ...wrap([span(said.where(visibleLine(place)))], width),
    ...(reason === undefined ? [] : wrap([span(said.why(visibleLine(reason)))], width)),
    ...(touched.command !== undefined && touched.confined === false
      ? wrap([span(said.unconfined, { color: 'red' })], width)
      : []),
  ]
}

/** Names the effects that undo cannot take back, in one line. */
export function undoLimitLines(
  limit: UndoLimit,
  { width, words }: { readonly width: number; readonly words: Words },
): Line[] {
  const said = words.approval
  const text =
    limit.kind === 'refused'
      ? said.notUndone(visibleLine(limit.path), visibleLine(limit.reason))
      : said.undo[limit.kind]
  return wrap([span(text, limit.kind === 'not-ignored' ? { dim: true } : { color: 'yellow' })], width)
}

/** The command as it would run. It is never cut. */
function commandLines(command: string): Line[] {
  return visibleLines(spelledOut(command)).map((line, index) => [
    span(index === 0 ? '  $ ' : '    ', { dim: true }),
    span(line, { bold: true }),
  ])
}

function lookAlikeLines(command: string, { width, words }: Omit<Surroundings, 'root'>): Line[] {
  const letters = lookAlikes(command)
  if (letters.length === 0) return []
  return wrap([span(words.approval.lookAlikes(letters.join(', ')), { color: 'red' })], width)
}

/** A line with a single command is not listed again as its only part. */
function isTakenApart({ parts = [] }: PermissionQuestion): boolean {
  return parts.length > 1
}

/** If the parts are listed with their reasons, only the reason of the whole line is left to show. */
function reasonOf(question: PermissionQuestion): string | undefined {
  const { reason, lineReason, parts: [only] = [] } = question
  return isTakenApart(question) ? lineReason : (lineReason ?? only?.reason ?? reason)
}

/** The commands of a line. Allowed ones are dimmed, the others have their reason. */
function partLines(question: PermissionQuestion, width: number): Line[] {
  if (!isTakenApart(question)) return []
  return (question.parts ?? []).flatMap(({ text, reason }) => {
    const lines = visibleLines(spelledOut(text))
    const isAllowed = reason === undefined
    const style = isAllowed ? ({ dim: true } as const) : undefined
    const marked = lines.map((line, index): Line => {
      const mark = index > 0 ? '      ' : isAllowed ? '    ✓ ' : '    ? '
      return [span(mark, isAllowed ? style : { color: 'yellow', bold: true }), span(line, style)]
    })
    if (isAllowed) return marked
    const why = wrap([span(visibleLine(reason), { color: 'yellow' })], Math.max(10, width - 8))
    return [...marked, ...why.map((row): Line => [span('        '), ...row])]
  })
}

/** A choice in words, with the rules that it adds and the file that stores them. */
export function choiceText(
  choice: ApprovalChoice,
  { keptIn }: OpenQuestion,
  { rules, words }: { readonly rules: string; readonly words: Words },
): { readonly text: string; readonly adds: string } {
  const said = words.approval
  const adds =
    choice === 'always' ? said.rulesIn(rules, keptIn) : choice === 'session' ? said.rules(rules) : ''
  return { text: said[choice], adds: adds === '' ? '' : words.marks.inBrackets(adds) }
}

interface ChoiceLook {
  readonly width: number
  readonly words: Words
  /** Keys go to the question, so the chosen one is marked. */
  readonly isAnswering: boolean
}

/** The choices, and the line where the chosen one begins. Rules are never cut: the user sees all that a yes allows. */
export function choiceLines(
  question: OpenQuestion,
  { width, words, isAnswering }: ChoiceLook,
): { readonly lines: readonly Line[]; readonly at: number } {
  const { choices, chosen, offers, offer } = question
  const blocks = choices.map((choice, index): Line[] => {
    const isChosen = isAnswering && index === chosen
    const { text, adds } = choiceText(choice, question, { rules: offers[offer] ?? '', words })
    const line = [
      span(`${index + 1}. ${text}`, isChosen ? { bold: true } : undefined),
      span(adds, { dim: true }),
    ]
    return wrap(line, width - 5).map((row, number) => {
      const mark = number > 0 ? '     ' : isChosen ? '▸ ' : '  '
      return [span(mark, { color: 'cyan' }), ...row]
    })
  })
  const at = blocks.slice(0, chosen).reduce((sum, block) => sum + block.length, 0)
  return { lines: [...blocks.flat(), ...offerLines(question, { width, words })], at }
}

/** A rule that would stay, and the key that stores it. */
export function confirmationLines(
  { offers, offer, keptIn }: OpenQuestion,
  { width, words }: { readonly width: number; readonly words: Words },
): Line[] {
  const { confirm, confirmKeys } = words.approval
  return [
    ...wrap([span(confirm(offers[offer] ?? '', keptIn), { color: 'yellow' })], width - 5),
    ...wrap([span(confirmKeys, { dim: true })], width - 5),
  ]
}

/** The rules that ← and → choose between, the chosen one marked. */
function offerLines(
  { offers, offer }: OpenQuestion,
  { width, words }: { readonly width: number; readonly words: Words },
): Line[] {
  if (offers.length < 2) return []
  const rows = offers.flatMap((rules, index) =>
    wrap(
      [span(`${index === offer ? '●' : '○'} ${rules}`, index === offer ? undefined : { dim: true })],
      width - 5,
    ),
  )
  const head = wrap([span(words.approval.otherRules, { dim: true })], width - 2)
  return [
    ...head.map((row): Line => [span('  '), ...row]),
    ...rows.map((row): Line => [span('     '), ...row]),
  ]
}
