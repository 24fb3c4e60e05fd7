import type { ContextSettings } from '../ground/settings.js'
import { problemText, type WarningPhraseCode } from '../ground/warning-words.js'
import type { Shortening } from '../history/compacted-history.js'
import { compactionText } from './compaction-words.js'
import { compactionGoal, compactionThreshold } from './trigger.js'

/** The sizes that a plan works with, in tokens. */
export interface CompactionSizes {
  /** Parts that no compaction touches, by name. The names are shown to the user if these parts do not fit. */
  readonly fixed: Readonly<Record<string, number>>
  /** Finished rounds that are still shown, oldest first. */
  readonly rounds: readonly SizedRound[]
  /** The running round, if there is one. */
  readonly running?: { readonly steps: number; readonly tokens: (shortening: Shortening) => number }
}

export interface SizedRound {
  /** Its cells: from `start` up to, but not including, `end`. */
  readonly start: number
  readonly end: number
  readonly tokens: (shortening: Shortening) => number
}

export interface CompactionPlan extends Shortening {
  readonly kind: 'plan'
  /** How many cells, counted from the first, leave the view. */
  readonly cells: number
  /** How many rounds leave now, and how many stay. */
  readonly leaving: number
  readonly staying: number
  /** Tokens of the leaving rounds as shown. */
  readonly leavingTokens: number
  readonly before: number
  /** Includes `reserve` tokens for the summary. */
  readonly after: number
  readonly reserve: number
  /** The rungs of the ladder that were needed, in words for the user. */
  readonly ladder: readonly string[]
}

/** Nothing would become smaller; the request is sent as it is. */
export interface NothingToCompact {
  readonly kind: 'nothing'
  readonly before: number
}

export interface TooLarge {
  readonly kind: 'too-large'
  readonly before: number
  readonly message: string
}

/** One rung: how many rounds stay, and how short their results are. */
interface Rung extends Shortening {
  readonly staying: number
  readonly says: string | undefined
}

/**
 * Decides what leaves the view. The newest rounds, counted by `retainRounds` or by `retainTokens`, stay if the request is
 * below the threshold with them, even if it is above `compactTo`. If these rounds alone are too large, a ladder follows: fewer rounds, shorter
 * results, the largest results clipped, and at its end a clear error. The ladder is walked once. It stops at the first
 * rung that reaches `compactTo`, if one does, so that the next step need not walk it again.
 */
export function planCompaction(
  sizes: CompactionSizes,
  settings: ContextSettings,
): CompactionPlan | NothingToCompact | TooLarge {
  const weigh = scales(sizes)
  const weighed = (rung: Rung) => ({ rung, ...weigh(rung) })
  const before = weigh(asItIs(sizes)).after
  const mildest = weighed(mildestRung(sizes, settings))
  const { contextWindow } = settings
  const threshold = compactionThreshold(settings)
  if (mildest.after < threshold)
    return mildest.after < before
      ? { ...planAt(mildest, [mildest], sizes), before }
      : { kind: 'nothing', before }
  const rungs = [mildest, ...harderRungs(sizes, mildest.rung).map(weighed)]
  for (const limit of [compactionGoal(settings), threshold - 1, contextWindow - 1]) {
    const fitting = rungs.findIndex(({ after }) => after <= limit && after < before)
    const chosen = rungs[fitting]
    if (chosen) return { ...planAt(chosen, rungs.slice(0, fitting + 1), sizes), before }
  }
  if (before < contextWindow) return { kind: 'nothing', before }
  const last = weighed(lastRung)
  if (isAsked(sizes) && last.after < contextWindow) return { ...planAt(last, [last], sizes), before }
  return { kind: 'too-large', before, message: tooLarge(sizes, settings) }
}

function asItIs({ rounds }: CompactionSizes): Rung {
  return { staying: rounds.length, compression: 'normal', says: undefined }
}

function mildestRung(sizes: CompactionSizes, { retainRounds, retainTokens }: ContextSettings): Rung {
  const staying =
    retainTokens > 0 ? newestWithin(sizes, retainTokens) : Math.min(retainRounds, sizes.rounds.length)
  return { staying, compression: 'normal', says: undefined }
}

/** How many of the newest rounds take at most so many tokens together. The newest one always stays, running or finished. */
function newestWithin({ rounds, running }: CompactionSizes, tokens: number): number {
  let left = tokens - (running?.tokens({ compression: 'normal' }) ?? 0)
  let staying = 0
  for (const round of [...rounds].reverse()) {
    left -= round.tokens({ compression: 'normal' })
    if (left < 0) break
    staying++
  }
  return Math.max(staying, Math.min(rounds.length, running ? 0 : 1))
}

/** The rungs below the mildest one, in order. */
function harderRungs({ running }: CompactionSizes, { staying: most }: Rung): readonly Rung[] {
  // The running round counts as the one round that always stays.
  const fewest = Math.min(most, running ? 0 : 1)
  const rungs: Rung[] = []
  for (let staying = most - 1; staying >= fewest; staying--)
    rungs.push({
      staying,
      compression: 'normal',
      says: onlyStay(staying),
    })
  const earlier = running && running.steps > 1 ? { steps: running.steps - 1 } : {}
  const last = { staying: fewest }
  if ('steps' in earlier)
    rungs.push({ ...last, ...earlier, compression: 'normal', says: compactionText('results-cut') })
  rungs.push({
    ...last,
    ...earlier,
    compression: 'strong',
    says: compactionText('results-reduced'),
  })
  const all = running ? { steps: running.steps } : {}
  for (const clip of clips)
    rungs.push({
      ...last,
      ...all,
      compression: 'clipped',
      clip,
      says: compactionText('results-clipped', clip),
    })
  return rungs
}

/** The session may contain a message that was too long to send. Later rounds must not fail because of it. */
function onlyStay(rounds: number): string {
  if (rounds === 0) return compactionText('no-round-stays')
  return compactionText(rounds === 1 ? 'only-round' : 'only-rounds', rounds)
}

const lastRung: Rung = { staying: 0, compression: 'normal', says: compactionText('no-round-stays') }

/** Whether the request contains a question. If so, even the newest finished round may leave. */
function isAsked({ fixed, running }: CompactionSizes): boolean {
  return running === undefined && (fixed[yourMessage] ?? 0) > 0
}

/** The name of the question among the parts that no compaction touches. */
export const yourMessage = 'your message'

const smallestClip = 250
const clips = [4000, 1000, smallestClip] as const

interface Weight {
  readonly after: number
  readonly reserve: number
  readonly leavingTokens: number
}

/** Computes the size of a rung without adding up all rounds each time. */
function scales({ fixed, rounds, running }: CompactionSizes): (rung: Rung) => Weight {
  const upTo = [0]
  for (const { tokens } of rounds) upTo.push((upTo.at(-1) ?? 0) + tokens({ compression: 'normal' }))
  const all = upTo.at(-1) ?? 0
  const always = sum(Object.values(fixed))
  return (rung) => {
    const leaving = upTo[rounds.length - rung.staying] ?? 0
    const staying = rounds.slice(rounds.length - rung.staying)
    const stays =
      rung.compression === 'normal' ? all - leaving : sum(staying.map(({ tokens }) => tokens(rung)))
    const reserve = reserveFor(leaving)
    return { after: always + reserve + stays + (running?.tokens(rung) ?? 0), reserve, leavingTokens: leaving }
  }
}

/** Room for the summary: a tenth of the leaving tokens, at least 100 and at most 2 000. */
function reserveFor(leaving: number): number {
  return leaving === 0 ? 0 : Math.min(2000, Math.max(100, Math.floor(leaving / 10)))
}

function planAt(
  { rung, after, reserve, leavingTokens }: Weight & { readonly rung: Rung },
  walked: readonly { readonly rung: Rung }[],
  { rounds }: CompactionSizes,
): Omit<CompactionPlan, 'before'> {
  const leaving = rounds.length - rung.staying
  const { staying, compression, clip, steps } = rung
  return {
    kind: 'plan',
    cells: rounds[leaving - 1]?.end ?? rounds[0]?.start ?? 0,
    leaving,
    leavingTokens,
    staying,
    compression,
    ...(clip === undefined ? {} : { clip }),
    ...(steps === undefined ? {} : { steps }),
    after,
    reserve,
    ladder: saidBy(walked.map((step) => step.rung)),
  }
}

/** Of consecutive rungs that each remove one more round, only the last one is reported. */
function saidBy(rungs: readonly Rung[]): readonly string[] {
  const fewer = rungs
    .filter(({ says, compression, steps }) => says && compression === 'normal' && !steps)
    .at(-1)
  const others = rungs.filter(({ compression, steps }) => compression !== 'normal' || steps)
  return [...(fewer ? [fewer] : []), ...others].flatMap(({ says }) => says ?? [])
}

function tooLarge(sizes: CompactionSizes, { contextWindow }: ContextSettings): string {
  const { fixed } = sizes
  const newest = newestRound(sizes)
  const parts = Object.entries({ ...fixed, ...(newest === undefined ? {} : { 'the newest round': newest }) })
  const largest = parts.filter(([, tokens]) => tokens > 0).sort(([, a], [, b]) => b - a)
  const named = largest.slice(0, 3).map(([name, tokens]) => takes(name, tokens))
  const code = fits[named.length - 1] ?? 'does-not-fit'
  return problemText(code, contextWindow, ...(named.length > 0 ? named : ['']), adviceFor(largest[0]?.[0]))
}

const fits = ['does-not-fit', 'does-not-fit-two', 'does-not-fit-three'] as const

/** A program with parts of its own may name them as it likes. */
function takes(name: string, tokens: number): string {
  const code = partWords.get(name)
  return code === undefined ? `${name} takes ${tokens}` : problemText(code, tokens)
}

const partWords: ReadonlyMap<string, WarningPhraseCode> = new Map([
  ['the system prompt with its tools', 'prompt-takes'],
  ['the tools', 'tools-take'],
  ['the project rules', 'rules-take'],
  ['the ghost block', 'block-takes'],
  [yourMessage, 'message-takes'],
  ['the todo list', 'todo-takes'],
  ['earlier summaries', 'summaries-take'],
  ['the newest round', 'newest-takes'],
])

/** Tokens of the round that always stays, in its shortest form; undefined if none must stay. */
function newestRound(sizes: CompactionSizes): number | undefined {
  const { rounds, running } = sizes
  const shortest = { compression: 'clipped', clip: smallestClip } as const
  if (running) return running.tokens({ ...shortest, steps: running.steps })
  return isAsked(sizes) ? undefined : rounds.at(-1)?.tokens(shortest)
}

/** Says what to do about the largest part. */
function adviceFor(part: string | undefined): string {
  switch (part) {
    case 'earlier summaries':
      return problemText('fewer-summaries')
    case 'the tools':
      return problemText('fewer-tools')
    default:
      return problemText('smaller-parts')
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
