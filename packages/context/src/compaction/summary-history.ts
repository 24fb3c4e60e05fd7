import { type AgentMessage, callsOf, safeLine, textOf, toolNameOf } from '@mutsumi/schema'
import { finalAnswer, isSilent } from '../history/records.js'
import type { Round } from '../history/rounds.js'
import { someBoundary } from '../text/boundary.js'
import { cutMiddle, headOf } from '../text/cut-text.js'
import { headLine } from '../text/short-text.js'
import { withoutTags } from '../text/without-tags.js'

/** A piece of the history, placed after its boundary line. */
export interface Section {
  readonly label: string
  readonly text: string
}

/** A round's texts, uncut. */
export interface ToldRound {
  readonly number: number
  readonly pieces: readonly Piece[]
}

interface Piece extends Section {
  readonly kind: keyof Cut
}

/** How many characters remain of each kind of text. With 0, not even the label remains. */
interface Cut {
  readonly prompt: number
  /** The agent's words during the round. */
  readonly said: number
  readonly result: number
  readonly answer: number
}

const gentlest: Cut = { prompt: 20_000, said: 8000, result: 4000, answer: 8000 }

const harder: readonly Cut[] = [
  { prompt: 8000, said: 2000, result: 400, answer: 4000 },
  { prompt: 2000, said: 400, result: 0, answer: 2000 },
  { prompt: 400, said: 0, result: 0, answer: 400 },
  { prompt: 100, said: 0, result: 0, answer: 100 },
  { prompt: 0, said: 0, result: 0, answer: 0 },
]

/**
 * The sections of the rounds, cut until they fit. All rounds are cut a little before any is cut more, the oldest
 * first.
 */
export function fitRounds(rounds: readonly ToldRound[], room: number): readonly Section[] {
  const dropped = Math.max(0, rounds.length - Math.max(1, Math.floor(room / bareRound)))
  const kept = rounds.slice(dropped)
  const lengths = kept.map((round) => lengthOf(round, gentlest))
  const chosen = kept.map(() => gentlest)
  let length = lengths.reduce((sum, each) => sum + each, 0)
  for (const cut of harder)
    for (let index = 0; index < kept.length && length > room; index++) {
      const round = kept[index]
      if (!round) continue
      const shorter = lengthOf(round, cut)
      length += shorter - (lengths[index] ?? 0)
      lengths[index] = shorter
      chosen[index] = cut
    }
  return [
    ...leftOut(rounds.slice(0, dropped)),
    ...kept.flatMap((round, index) => cutRound(round, chosen[index] ?? gentlest)),
  ]
}

/** About the size of a round that is reduced to its number. */
const bareRound = 40

/** About the size of a boundary line without its label. */
const lineLength = someBoundary.length + 3

/**
 * The approximate size of a round, from the lengths of its texts. The texts are scanned only after it is decided what
 * stays.
 */
function lengthOf({ pieces }: ToldRound, cut: Cut): number {
  let length = bareRound
  for (const { kind, label, text } of pieces)
    if (cut[kind] > 0) length += lineLength + label.length + Math.min(text.length, cut[kind])
  return length
}

function cutRound({ number, pieces }: ToldRound, cut: Cut): readonly Section[] {
  const kept = pieces.filter(({ kind }) => cut[kind] > 0)
  const sections = kept.map(({ kind, label, text }) => ({
    label,
    text: withoutTags(cutMiddle(text, cut[kind])),
  }))
  return [{ label: `round ${number}`, text: '' }, ...sections]
}

/** For a session with so many rounds that there is no room even for their numbers. */
function leftOut(rounds: readonly ToldRound[]): readonly Section[] {
  const [first, last] = [rounds[0], rounds.at(-1)]
  if (!first || !last) return []
  return [
    { label: `rounds ${first.number} to ${last.number}`, text: '(left out: there is no room for them)' },
  ]
}

/** The texts of a round. */
export function tellRound(round: Round, number: number): ToldRound {
  if (isSilent(round)) return { number, pieces: [] }
  const { prompt, steps } = round
  const answer = finalAnswer(round)
  const last = answer === undefined ? -1 : steps.findLastIndex(({ role }) => role === 'assistant')
  const pieces: readonly Piece[] = [
    { kind: 'prompt', label: 'user', text: prompt.trim() },
    ...steps.flatMap((step, index) => (index === last ? [] : stepPieces(step))),
    { kind: 'answer', label: 'answer', text: answer ?? '(none: the round was interrupted)' },
  ]
  return { number, pieces: pieces.filter(({ text }) => text !== '') }
}

function stepPieces(step: AgentMessage): readonly Piece[] {
  const text = textOf(step)
  switch (step.role) {
    case 'assistant':
      return [{ kind: 'said', label: 'assistant', text: [text, ...callLines(step)].join('\n').trim() }]
    case 'tool':
      return [{ kind: 'result', label: `result of ${toolLabel(step)}`, text: text.trim() }]
    case 'user':
      // The user steered the round: that counts as much as what began it.
      return [{ kind: 'prompt', label: 'user', text: text.trim() }]
    case 'system':
      // An older summary, which stays in the view.
      return []
    default:
      return step.role satisfies never
  }
}

function toolLabel(step: AgentMessage): string {
  return safeLine(headLine(toolNameOf(step), 60)) || 'a tool'
}

/** How many calls of one step are included, and how much of each. */
const callLimits = { count: 50, argument: 200, length: 400 }

function callLines(step: AgentMessage): readonly string[] {
  return callsOf(step)
    .slice(0, callLimits.count)
    .map(({ name, args }) => headOf(`Call: ${name} ${shortJson(args)}`, callLimits.length))
}

function shortJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'string' ? headOf(inner, callLimits.argument) : inner,
  )
}
