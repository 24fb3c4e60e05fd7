import type { PermissionAnswer, PermissionQuestion } from '@mutsumi/tools'
import {
  type EditorState,
  type EditorWorld,
  editorText,
  emptyEditor,
  press as pressEditor,
} from '../editor/editor.js'
import type { Input } from '../keys/input.js'
import { type Line, span } from '../text/span.js'
import { visibleLine, visibleLines } from '../text/visible-text.js'
import { wrap } from '../text/wrap.js'
import type { Words } from '../words/words.js'

export type ApprovalChoice = 'once' | 'session' | 'always' | 'no'

/** A question that is put to the user: what they may choose, and the reason that they write. */
export interface OpenQuestion {
  readonly choices: readonly ApprovalChoice[]
  readonly chosen: number
  /** The rules that a lasting yes adds. */
  readonly rules: string
  /** Open while the user says why not. */
  readonly reason?: EditorState
}

export type Answering =
  | { readonly kind: 'open'; readonly question: OpenQuestion }
  | { readonly kind: 'answered'; readonly answer: PermissionAnswer; readonly choice: ApprovalChoice }

export function openQuestion({ lasting }: PermissionQuestion): OpenQuestion {
  const choices: ApprovalChoice[] = lasting.length > 0 ? ['once', 'session', 'always', 'no'] : ['once', 'no']
  return { choices, chosen: 0, rules: lasting.map(visibleLine).join(', ') }
}

/** What one input makes of a question. Anything that is no answer leaves it open: nothing is allowed by accident. */
export function pressQuestion(question: OpenQuestion, input: Input, world: EditorWorld): Answering {
  if (question.reason) return pressReason(question, question.reason, input, world)
  if (input.kind === 'text') return chooseByName(question, input.text)
  if (input.kind === 'paste') return { kind: 'open', question }
  const last = question.choices.length - 1
  switch (input.name) {
    case 'up':
    case 'ctrl+p':
    case 'shift+tab':
      return open({ ...question, chosen: question.chosen === 0 ? last : question.chosen - 1 })
    case 'down':
    case 'ctrl+n':
    case 'tab':
      return open({ ...question, chosen: question.chosen === last ? 0 : question.chosen + 1 })
    case 'enter':
      return choose(question, question.choices[question.chosen] ?? 'no')
    default:
      return open(question)
  }
}

/** `1` to `4`, or `y`, `s`, `a`, `n`. */
function chooseByName(question: OpenQuestion, text: string): Answering {
  const byNumber = question.choices[Number(text) - 1]
  const byLetter = letters[text.toLowerCase()]
  const choice = byNumber ?? (byLetter && question.choices.includes(byLetter) ? byLetter : undefined)
  return choice ? choose(question, choice) : open(question)
}

const letters: Readonly<Record<string, ApprovalChoice>> = { y: 'once', s: 'session', a: 'always', n: 'no' }

function choose(question: OpenQuestion, choice: ApprovalChoice): Answering {
  if (choice === 'no') return open({ ...question, reason: emptyEditor })
  return { kind: 'answered', answer: choice, choice }
}

function pressReason(
  question: OpenQuestion,
  reason: EditorState,
  input: Input,
  world: EditorWorld,
): Answering {
  if (input.kind === 'key' && input.name === 'escape') return open(withoutReason(question))
  if (input.kind === 'key' && sendingKeys.has(input.name)) return refused(editorText(reason))
  const { state } = pressEditor(reason, input, { ...world, entries: [] })
  return open({ ...question, reason: state })
}

const sendingKeys: ReadonlySet<string> = new Set(['enter', 'ctrl+s', 'alt+s'])

function refused(reason: string): Answering {
  const text = reason.trim()
  return { kind: 'answered', answer: text === '' ? 'no' : { no: text }, choice: 'no' }
}

function withoutReason({ reason: _, ...question }: OpenQuestion): OpenQuestion {
  return question
}

function open(question: OpenQuestion): Answering {
  return { kind: 'open', question }
}

/** What is asked: what, where, why. It goes to the scrollback, so that it can be long. */
export function questionLines(
  { call, effect, touched, reason }: PermissionQuestion,
  { root, width, words }: { readonly root: string; readonly width: number; readonly words: Words },
): Line[] {
  const said = words.approval
  const places = touched.paths?.filter((path) => path !== '.') ?? []
  const place = places.length > 0 ? places.join(', ') : root
  return [
    ...wrap(
      [
        span(`? ${said.title(visibleLine(call.name))}`, { bold: true, color: 'yellow' }),
        span(` (${said.effects[effect]})`, { dim: true }),
      ],
      width,
    ),
    ...(touched.command === undefined ? [] : commandLines(touched.command)),
    ...wrap([span(said.where(visibleLine(place)))], width),
    ...wrap([span(said.why(visibleLine(reason)))], width),
    ...(touched.command !== undefined && touched.confined === false
      ? wrap([span(said.unconfined, { color: 'red' })], width)
      : []),
  ]
}

/** As it would run, never cut. */
function commandLines(command: string): Line[] {
  return visibleLines(command).map((line, index) => [
    span(index === 0 ? '  $ ' : '    ', { dim: true }),
    span(line, { bold: true }),
  ])
}

/** The choices, and in which of the lines the chosen one begins. Rules are never cut: a yes must be for what is read. */
export function choiceLines(
  { choices, chosen, rules }: OpenQuestion,
  { width, words }: { readonly width: number; readonly words: Words },
): { readonly lines: readonly Line[]; readonly at: number } {
  const blocks = choices.map((choice, index): Line[] => {
    const isChosen = index === chosen
    const isLasting = choice === 'session' || choice === 'always'
    const text = [
      span(`${index + 1}. ${words.approval[choice]}`, isChosen ? { bold: true } : undefined),
      ...(isLasting ? [span(` (${words.approval.rules(rules)})`, { dim: true })] : []),
    ]
    return wrap(text, width - 5).map((row, number) => {
      const mark = number > 0 ? '     ' : isChosen ? '▸ ' : '  '
      return [span(mark, { color: 'cyan' }), ...row]
    })
  })
  const at = blocks.slice(0, chosen).reduce((sum, block) => sum + block.length, 0)
  return { lines: blocks.flat(), at }
}
