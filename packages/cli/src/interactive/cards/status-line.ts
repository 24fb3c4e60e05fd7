import type { LayerTokens, PermissionMode } from '@mutsumi/schema'
import { type Color, type Line, type Style, span } from '../text/span.js'
import { lineWidth, truncate, truncateText } from '../text/truncate.js'
import { visibleLine } from '../text/visible-text.js'
import type { Words } from '../words/words.js'

/** The facts in the line above the input. */
export interface Status {
  readonly model: string
  /** Absent until the agent is open. */
  readonly mode?: PermissionMode
  /** The number of rounds of the session, including this one. */
  readonly round: number
  readonly room?: Room
  /** Share of the last request that the provider had in its cache, 0 to 1. */
  readonly cached?: number
  /** The provider has forgotten the last request, so the next one is read and billed in full. */
  readonly isCold?: boolean
  /** The cost of the session so far, if the config has prices for the model. */
  readonly cost?: number
  readonly queued: number
}

/** The tokens in use, and the number from which history is compacted. */
export interface Room {
  readonly used: number
  readonly threshold: number
  /** Tokens by layer, in the order in which they are sent. Absent if they were not counted. */
  readonly layers?: readonly Layer[]
}

export interface Layer {
  readonly name: 'L1' | 'L2' | 'L3' | 'user' | 'ghost' | 'todo'
  readonly tokens: number
}

/** Tokens that are left until history is compacted. The status, `/context` and `/usage` all show this number. */
export function tokensLeft({ used, threshold }: Room): number {
  return Math.max(0, threshold - used)
}

/** `tokensLeft` in words. */
export function roomText(room: Room, { status }: Words): string {
  const left = tokensLeft(room)
  return left === 0 ? status.due : status.left(shortCount(left))
}

/** Divides the tokens of a request, by the count that decides, among its layers in proportion to our own count. */
export function roomOf(weight: number, layers: LayerTokens, threshold: number): Room {
  const { L1, L2, L3, user, ghost, scratchpad = 0, todo, tools = 0 } = layers
  const named = { L1: L1 + tools, L2, L3: L3 + scratchpad, user, ghost, todo }
  const sum = Object.values(named).reduce((all, tokens) => all + tokens, 0)
  const scale = weight / Math.max(1, sum)
  return {
    used: weight,
    threshold,
    layers: layerNames.map((name) => ({ name, tokens: named[name] * scale })),
  }
}

const layerNames = ['L1', 'L2', 'L3', 'user', 'ghost', 'todo'] as const

/** One line. If it does not fit, the least important parts are left out first. */
export function statusLine(
  status: Status,
  { width, words }: { readonly width: number; readonly words: Words },
): Line {
  const parts = partsOf(status, words)
  const kept = [...parts]
  while (kept.length > 1 && lineWidth(joined(kept)) > width)
    kept.splice(kept.indexOf(kept.reduce((least, part) => (part.weight <= least.weight ? part : least))), 1)
  return truncate(joined(kept), width)
}

/** The name of a model in a local file can be long. */
const longestModel = 36

interface Part {
  readonly line: Line
  /** Parts with a higher weight stay longer. */
  readonly weight: number
}

function partsOf(status: Status, words: Words): Part[] {
  const { model, mode, round, room, cached, isCold, cost, queued } = status
  const dim = { dim: true }
  const warns = { color: 'yellow' as const }
  const said = { ...words.status, mode: words.modes.names }
  const next = nextText(status, words)
  const share = isCold ? undefined : cached
  return [
    { line: mode ? [span(said.mode[mode], modeLooks[mode])] : [], weight: 8 },
    { line: model === '' ? [] : [span(truncateText(visibleLine(model), longestModel), dim)], weight: 6 },
    { line: round > 0 ? [span(said.round(round), dim)] : [], weight: 4 },
    { line: room ? [span(roomText(room, words), isSoon(room) ? warns : dim)] : [], weight: 7 },
    { line: room ? bar(room) : [], weight: 3 },
    { line: next === '' ? [] : [span(next, warns)], weight: 2 },
    { line: share === undefined ? [] : [span(said.cached(Math.round(share * 100)), dim)], weight: 1 },
    { line: cost === undefined ? [] : [span(said.cost(costText(cost)), dim)], weight: 0 },
    { line: queued > 0 ? [span(said.queued(queued), { color: 'cyan' } as const)] : [], weight: 5 },
  ].filter(({ line }) => line.length > 0)
}

/** The wider a mode is, the more it stands out. */
const modeLooks: Readonly<Record<PermissionMode, Style>> = {
  plan: { color: 'cyan' },
  ask: { dim: true },
  edits: { color: 'green' },
  auto: { color: 'yellow' },
}

function joined(parts: readonly Part[]): Line {
  return parts.flatMap(({ line }, index) => (index === 0 ? line : [span(' · ', { dim: true }), ...line]))
}

function isSoon({ used, threshold }: Room): boolean {
  return used > soonShare * threshold
}

/** From this share of the threshold on, compaction is near. */
const soonShare = 0.85

/** The next event that the user should know about, if any. */
function nextText({ room, isCold = false }: Status, { status }: Words): string {
  if (room && tokensLeft(room) > 0 && isSoon(room)) return status.soon
  return isCold ? status.cold : ''
}

/** `0.0042`, `1.37`: two significant digits. */
export function costText(cost: number): string {
  return cost >= 1 || cost === 0 ? cost.toFixed(2) : String(Number(cost.toPrecision(2)))
}

/** `980`, `8.4k`, `128k`, `1.2M`. */
export function shortCount(count: number): string {
  if (count < 1000) return String(Math.round(count))
  const [value, unit] = count < 999_500 ? [count / 1000, 'k'] : [count / 1_000_000, 'M']
  return `${value < 10 ? value.toFixed(1) : Math.round(value)}${unit}`
}

const barCells = 16
const looks: Readonly<Record<Layer['name'], { readonly glyph: string; readonly color: Color }>> = {
  L1: { glyph: '█', color: 'blue' },
  L2: { glyph: '▓', color: 'magenta' },
  L3: { glyph: '▒', color: 'cyan' },
  user: { glyph: '▚', color: 'green' },
  ghost: { glyph: '▞', color: 'yellow' },
  todo: { glyph: '▪', color: 'red' },
}

/** The part of the room until compaction that is used, to scale, and by layer if that is known. */
export function bar({ used, threshold, layers }: Room): Line {
  const cellsOf = (tokens: number) => (barCells * Math.min(tokens, threshold)) / Math.max(1, threshold)
  const all = layers ?? [{ name: 'L3' as const, tokens: used }]
  let sum = 0
  let drawn = 0
  const spans = all.map(({ name, tokens }) => {
    sum += tokens
    // Each layer that is not empty gets at least one cell, while there are cells left.
    const end = Math.min(barCells, Math.max(Math.round(cellsOf(sum)), tokens > 0 ? drawn + 1 : drawn))
    const cells = end - drawn
    drawn = end
    return span(looks[name].glyph.repeat(cells), { color: looks[name].color })
  })
  return [...spans, span('░'.repeat(barCells - drawn), { dim: true })]
}
