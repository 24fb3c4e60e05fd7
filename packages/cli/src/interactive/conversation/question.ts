import type { PermissionAnswer, PermissionQuestion } from '@mutsumi/tools'
import {
  type EditorState,
  type EditorWorld,
  editorText,
  emptyEditor,
  press as pressEditor,
} from '../editor/editor.js'
import type { Input } from '../keys/input.js'
import { visibleLine } from '../text/visible-text.js'

export type ApprovalChoice = 'once' | 'session' | 'always' | 'no'

/** A question to the user: the choices, and the reason that they write. */
export interface OpenQuestion {
  readonly choices: readonly ApprovalChoice[]
  readonly chosen: number
  /** The rules that a permanent yes can add, from the narrowest to the widest, as they are shown. */
  readonly offers: readonly string[]
  /** The index of the one that it adds. */
  readonly offer: number
  /** The file that stores an "always". */
  readonly keptIn: string
  /** The user chose "always", and a second key has to confirm it. */
  readonly isConfirming?: true
  /** Open while the user writes the reason for a no. */
  readonly reason?: EditorState
}

export type Answering =
  | { readonly kind: 'open'; readonly question: OpenQuestion }
  | { readonly kind: 'answered'; readonly answer: PermissionAnswer; readonly choice: ApprovalChoice }
  /** The question does not use this key. */
  | { readonly kind: 'passed' }

/** Nobody reads longer rules in a question, so they are not offered. */
const longestOffer = 1000

export function openQuestion({ lasting, keptIn }: PermissionQuestion): OpenQuestion {
  const always: ApprovalChoice[] = keptIn === undefined ? [] : ['always']
  const offers = lasting.map((rules) => rules.map(visibleLine).join(', '))
  const isReadable = offers.length > 0 && offers.every(({ length }) => length <= longestOffer)
  return {
    choices: isReadable ? ['once', 'session', ...always, 'no'] : ['once', 'no'],
    chosen: 0,
    offers: isReadable ? offers : [],
    // The narrowest one, so that the user allows no more than they chose.
    offer: 0,
    keptIn: visibleLine(keptIn ?? ''),
  }
}

/** The question after one input. It takes no text: letters belong to the input, so that no word can allow anything. */
export function pressQuestion(question: OpenQuestion, input: Input, world: EditorWorld): Answering {
  if (question.reason) return pressReason(question, question.reason, input, world)
  if (question.isConfirming) return pressConfirmation(question, input)
  if (input.kind === 'text') return chooseByNumber(question, input.text)
  if (input.kind === 'paste') return passed
  const last = question.choices.length - 1
  switch (input.name) {
    case 'up':
    case 'ctrl+p':
      return open({ ...question, chosen: question.chosen === 0 ? last : question.chosen - 1 })
    case 'down':
    case 'ctrl+n':
      return open({ ...question, chosen: question.chosen === last ? 0 : question.chosen + 1 })
    case 'left':
      return open({ ...question, offer: Math.max(0, question.offer - 1) })
    case 'right':
      return open({
        ...question,
        offer: Math.max(0, Math.min(question.offers.length - 1, question.offer + 1)),
      })
    case 'enter':
      return choose(question, question.choices[question.chosen] ?? 'no')
    default:
      return passed
  }
}

const passed: Answering = { kind: 'passed' }

/** `1` to `4`. */
function chooseByNumber(question: OpenQuestion, text: string): Answering {
  const choice = question.choices[Number(text) - 1]
  return choice ? choose(question, choice) : passed
}

function choose(question: OpenQuestion, choice: ApprovalChoice): Answering {
  if (choice === 'no') return open({ ...question, reason: emptyEditor })
  if (choice === 'always')
    return open({ ...question, chosen: question.choices.indexOf(choice), isConfirming: true })
  return { kind: 'answered', answer: answerFor(choice, question.offer), choice }
}

/** A permanent yes names the offered rule that it adds. */
export function answerFor(choice: Exclude<ApprovalChoice, 'no'>, offer: number): PermissionAnswer {
  return choice === 'once' ? choice : { yes: choice, choice: offer }
}

/** A rule that stays is stored only after a second Enter. Any other key goes back to the choices. */
function pressConfirmation(question: OpenQuestion, input: Input): Answering {
  if (input.kind !== 'key' || input.name === 'ctrl+c') return passed
  if (input.name !== 'enter') return open(unconfirmed(question))
  return { kind: 'answered', answer: answerFor('always', question.offer), choice: 'always' }
}

/** The question as it is while the user does something else. */
export function unconfirmed({ isConfirming: _, ...question }: OpenQuestion): OpenQuestion {
  return question
}

function pressReason(
  question: OpenQuestion,
  reason: EditorState,
  input: Input,
  world: EditorWorld,
): Answering {
  if (input.kind === 'key' && (input.name === 'ctrl+c' || input.name === 'ctrl+o')) return passed
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
