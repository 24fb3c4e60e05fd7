import type { RoundOutput, RoundPart, RoundUsage } from '../notebook/round-output.js'
import { isWaiting } from '../notebook/waiting.js'
import { build, button, copyButton, element, type PageElement, type PageNode } from './elements.js'
import { drawMarkdown, shownMarkdown } from './markdown.js'
import { type CardTools, question, toolCard } from './tool-card.js'
import type { RendererWords } from './words.js'

interface Drawn {
  readonly kind: RoundPart['kind']
  readonly json: string
  readonly node: HTMLElement
}

/** A round in the page. Parts that did not change are not drawn again, so a long round stays cheap. */
export class RoundPage {
  readonly #parts = build(element('div', { class: 'parts' }))
  readonly #asked = build(element('div', { class: 'asked' }))
  readonly #draft = build(element('div', { class: 'draft' }))
  readonly #foot = build(element('div', { class: 'foot', role: 'status' }))
  readonly #unsent = build(element('div', { role: 'status' }))
  #drawn: Drawn[] = []
  #drawnAsked = ''
  /** The current work of the round, and the time since which it is shown. */
  #doing = { key: '', since: 0 }
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(root: HTMLElement) {
    root.replaceChildren(this.#parts, this.#draft, this.#asked, this.#foot, this.#unsent)
  }

  update(round: RoundOutput, tools: CardTools): void {
    const drawn = round.parts.map((part, index) => this.#draw(part, this.#drawn[index], tools))
    for (const [index, { node }] of drawn.entries())
      if (this.#parts.children[index] !== node) {
        const before = this.#parts.children[index]
        if (before) before.replaceWith(node)
        else this.#parts.append(node)
      }
    while (this.#parts.children.length > drawn.length) this.#parts.lastElementChild?.remove()
    this.#drawn = drawn
    this.#drawAsked(round, tools)
    this.#drawDraft(round, tools)
    this.#foot.className = `foot ${isWaiting(round) ? 'waiting' : round.state}`
    this.#foot.replaceChildren(
      ...roundFoot(round, tools).map((each) => (typeof each === 'string' ? each : build(each))),
    )
    this.#unsent.replaceChildren(...unsentOf(round, tools).map(build))
    this.#count(round, tools)
  }

  /** Counts the seconds of a running round below it. */
  #count(round: RoundOutput, { words }: CardTools): void {
    clearInterval(this.#timer)
    if (round.state !== 'running' || isWaiting(round)) return
    const { kind = '', since = '' } = round.activity ?? {}
    const key = `${round.parts.length} ${kind} ${since}`
    if (key !== this.#doing.key) this.#doing = { key, since: Date.now() }
    const tick = () => {
      const seconds = Math.floor((Date.now() - this.#doing.since) / 1000)
      const shown = this.#foot.querySelector('.seconds')
      if (shown) shown.textContent = secondsText(round, seconds, words)
      if (this.#foot.isConnected === false) clearInterval(this.#timer)
    }
    tick()
    this.#timer = setInterval(tick, 1000)
  }

  /** Words that may be the answer, in another colour. */
  #drawDraft({ activity }: RoundOutput, tools: CardTools): void {
    const draft = (activity?.kind === 'writing' && activity.draft) || ''
    if (draft === '') return this.#draft.replaceChildren()
    this.#draft.setAttribute('title', tools.words.draft)
    drawMarkdown(this.#draft, draft, tools)
  }

  /** Drawn again only after a change: a button that has the focus keeps it. */
  #drawAsked({ asked = [] }: RoundOutput, tools: CardTools): void {
    const json = JSON.stringify(asked)
    if (this.#drawnAsked === json) return
    this.#drawnAsked = json
    this.#asked.replaceChildren(...asked.map((each) => build(question(each, tools))))
  }

  #draw(part: RoundPart, before: Drawn | undefined, tools: CardTools): Drawn {
    const json = JSON.stringify(part)
    if (before?.json === json) return before
    const { kind } = part
    if (kind !== 'text' && kind !== 'thought') return { kind, json, node: build(shownPart(part, tools)) }
    const node = before?.kind === kind ? before.node : build(shownPart({ ...part, text: '' }, tools))
    drawMarkdown(node.querySelector<HTMLElement>('.markdown') ?? node, part.text, tools)
    const title = node.querySelector('summary')
    if (title) title.textContent = thoughtTitle(part.text, tools)
    return { kind, json, node }
  }
}

/** Says below a recorded round that the newest run sent nothing. Without one, the foot says it. */
function unsentOf({ unsent, startedAt, parts }: RoundOutput, tools: CardTools): PageElement[] {
  const { words } = tools
  if (!unsent || (startedAt === undefined && parts.length === 0)) return []
  const text = words.unsent(words.states[unsent.state] ?? unsent.state, unsent.message)
  const acts = remedyButtons(unsent.remedies, tools)
  return [
    element('p', { class: 'note warning unsent' }, [text]),
    ...(acts.length > 0 ? [element('div', { class: 'answers' }, acts)] : []),
  ]
}

/** For how long a running round has done what it does. A wait before a retry counts down. */
function secondsText({ activity }: RoundOutput, seconds: number, words: RendererWords): string {
  if (activity?.kind === 'retry')
    return words.again(Math.max(0, Math.ceil(activity.waitMs / 1000) - seconds), activity.attempt)
  if (seconds === 0) return ''
  return activity?.kind === 'writing' ? words.noText(seconds) : words.seconds(seconds)
}

/** The end of a round: how it ended, what it took, and a button that copies the answer. */
export function roundFoot(
  { state, message, usage, parts, asked, remedies, activity, ...times }: RoundOutput,
  tools: Pick<CardTools, 'words' | 'post' | 'cell'>,
): readonly PageNode[] {
  const { words } = tools
  if (isWaiting({ state, parts, ...(asked && { asked }) }))
    return [element('span', { class: 'state' }, [words.waiting(isMac() ? '⌘K' : 'Ctrl+K')])]
  const answer = parts.at(-1)
  const isOver = state !== 'running'
  const why = message && message !== state ? `: ${message}` : ''
  const status =
    state === 'done'
      ? (message ?? '')
      : isOver
        ? `${words.states[state] ?? state}${why}`
        : runningText(activity, words)
  return [
    ...(status === '' ? [] : [element('span', { class: 'state' }, [status])]),
    ...(isOver ? [] : [element('span', { class: 'seconds', 'aria-hidden': 'true' }, [])]),
    ...(isOver ? remedyButtons(remedies, tools) : []),
    ...(usage && isOver ? [usageText(usage, words)] : []),
    ...(isOver ? timeOf(times) : []),
    ...(isOver && answer?.kind === 'text' ? [copyButton(answer.text, words)] : []),
  ]
}

function runningText(activity: RoundOutput['activity'], words: RendererWords): string {
  if (activity?.kind === 'retry') return activity.text
  return activity?.kind === 'writing' ? words.writing : words.running
}

/** Advice as buttons. */
function remedyButtons(
  remedies: RoundOutput['remedies'] = [],
  { words, post, cell }: Pick<CardTools, 'words' | 'post' | 'cell'>,
): PageElement[] {
  return post
    ? remedies.map((remedy) =>
        button(words.remedies[remedy], () => post({ type: 'remedy', remedy, cell }), {
          class: `remedy ${remedy}`,
        }),
      )
    : []
}

/** Tokens, and their price if one is set. */
function usageText({ input, output, cached, cost }: RoundUsage, words: RendererWords): PageElement {
  const tokens = words.tokens(input, output, cached)
  return cost === undefined
    ? element('span', { class: 'usage', title: words.noPrice }, [tokens])
    : element('span', { class: 'usage' }, [`${tokens} · ${words.cost(money(cost))}`])
}

function money(cost: number): string {
  return cost >= 1 || cost === 0 ? cost.toFixed(2) : String(Number(cost.toPrecision(2)))
}

function isMac(): boolean {
  return globalThis.navigator?.platform?.startsWith('Mac') === true
}

/** When it ended and how long it took; the tooltip has both times. */
function timeOf({ startedAt, endedAt }: Pick<RoundOutput, 'startedAt' | 'endedAt'>): PageElement[] {
  // A program that was killed at once left no end.
  if (startedAt === undefined || endedAt === undefined || startedAt === endedAt) return []
  const [start, end] = [new Date(startedAt), new Date(endedAt)]
  const title = `${start.toLocaleString()} – ${end.toLocaleString()}`
  const text = `${end.toLocaleTimeString()} · ${duration(end.getTime() - start.getTime())}`
  return [element('time', { class: 'time', datetime: endedAt, title }, [text])]
}

/** 0.4 s, 12 s, 3:05 min. */
function duration(ms: number): string {
  const seconds = Math.max(0, ms) / 1000
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`
  const whole = Math.round(seconds)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')} min`
}

/** A part of a round as an element. */
export function shownPart(part: RoundPart, tools: CardTools): PageElement {
  switch (part.kind) {
    case 'text':
      return element('div', { class: 'markdown' }, shownMarkdown(part.text, tools))
    case 'thought':
      return element('details', { class: 'thought' }, [
        element('summary', {}, [thoughtTitle(part.text, tools)]),
        element('div', { class: 'markdown' }, shownMarkdown(part.text, tools)),
      ])
    case 'note':
      return element(
        'p',
        { class: `note ${part.level}`, role: part.level === 'warning' ? 'alert' : 'note' },
        [part.text],
      )
    case 'tool':
      return toolCard(part, tools)
    default:
      return part satisfies never
  }
}

function thoughtTitle(text: string, { words }: CardTools): string {
  return `${words.thought}: ${firstLine(text)}`
}

function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n', 1)
  return line.length > 100 ? `${line.slice(0, 100)}…` : line
}
