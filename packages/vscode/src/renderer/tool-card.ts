import { safeText } from '@mutsumi/schema'
import type { CommandGlimpse } from '../notebook/command-glimpse.js'
import type { RendererMessage } from '../notebook/renderer-message.js'
import type { ToolPart, ToolQuestion } from '../notebook/round-output.js'
import { diffLines } from './diff-lines.js'
import { button, element, type PageElement, type PageNode } from './elements.js'
import { fileLink, type MarkdownTools } from './markdown.js'
import { isByPerson } from './person-events.js'
import type { RendererWords } from './words.js'

export interface CardTools extends MarkdownTools {
  readonly cell: string
  readonly post: ((message: RendererMessage) => void) | undefined
}

const marks: Readonly<Record<ToolPart['status'], string>> = {
  running: '◌',
  asking: '?',
  success: '●',
  partial: '◐',
  error: '✗',
  interrupted: '○',
}

/** A call in one line, which opens to show its details. */
export function toolCard(part: ToolPart, tools: CardTools): PageElement {
  const { words } = tools
  const { glimpse } = part
  const hasFailed = glimpse !== undefined && glimpse.exitCode !== 0
  const state = hasFailed ? words.states.error : (words.states[part.status] ?? part.status)
  const time =
    part.timeMs !== undefined && part.timeMs >= 1000 ? ` · ${(part.timeMs / 1000).toFixed(1)} s` : ''
  const summary = element('summary', { 'aria-label': `${part.name} ${part.argument}: ${state}` }, [
    element('span', { class: 'mark', 'aria-hidden': 'true' }, [
      hasFailed ? marks.success : marks[part.status],
    ]),
    element('span', { class: 'name' }, [part.name]),
    element('span', { class: 'argument' }, [argument(part, tools)]),
    element('span', { class: 'line' }, [`${part.line ?? ''}${time}`]),
  ])
  const isOpen =
    hasFailed || part.question !== undefined || part.diff !== undefined || part.todos !== undefined
  const card = element(
    'details',
    { class: `tool ${part.status}${hasFailed ? ' failed' : ''}`, ...(isOpen && { open: '' }) },
    [summary, ...bodyOf(part, tools)],
  )
  return card
}

function argument({ argument: text, file, diff: changes }: ToolPart, tools: CardTools): PageNode {
  if (!file || !tools.openFile) return safeText(text)
  const line = file.line ?? firstChange(changes)
  return fileLink({ ...file, ...(line !== undefined && { line }) }, [safeText(text)], tools)
}

/** The first line that a unified diff changes, in the new text. */
function firstChange(changes = ''): number | undefined {
  const lines = changes.split('\n')
  const start = lines.findIndex((line) => line.startsWith('@@'))
  const first = Number(/^@@ -\d+(?:,\d+)? \+(\d+)/.exec(lines[start] ?? '')?.[1] ?? Number.NaN)
  if (Number.isNaN(first)) return undefined
  return (
    first +
    Math.max(
      0,
      lines.slice(start + 1).findIndex((line) => /^[+-]/.test(line)),
    )
  )
}

function bodyOf(part: ToolPart, tools: CardTools): PageNode[] {
  const { words, cell, post } = tools
  const isOver = part.status !== 'running' && part.status !== 'asking'
  return [
    ...(part.question ? [question(part.question, tools, part.argument)] : []),
    ...(part.command !== undefined && !part.question
      ? [element('pre', { class: 'target', tabindex: '0' }, [safeText(part.command)])]
      : []),
    ...(part.todos ? [todoList(part.todos)] : []),
    ...(part.diff ? [diff(part.diff)] : []),
    ...(part.output ? [element('pre', { class: 'output', tabindex: '0' }, [part.output])] : []),
    ...(part.glimpse ? glimpseOf(part.glimpse, words) : []),
    ...(isOver && post
      ? [button(words.showAll, () => post({ type: 'details', cell, call: part.call }), { class: 'link' })]
      : []),
  ]
}

/** A call that waits for a person: everything that it would do, and the answers. `shown`: what its card says already. */
export function question(asked: ToolQuestion, { words, post }: CardTools, shown?: string): PageElement {
  const { id, name, target, reason, preview, lasting } = asked
  // Only a person answers. A script of another renderer, or in a Markdown cell that somebody pastes, can click too.
  const answer = (text: string, given: 'once' | 'session' | 'always' | 'no') =>
    button(text, (event) => isByPerson(event) && post?.({ type: 'answer', question: id, answer: given }), {
      class: `answer ${given}`,
    })
  return element('div', { class: 'question', role: 'group', 'aria-label': words.asks(name) }, [
    element('p', {}, [element('strong', {}, [words.asks(name)]), ` ${reason}`]),
    // Above a diff, the path is not news.
    ...(preview && target === shown ? [] : [element('pre', { class: 'target', tabindex: '0' }, [target])]),
    ...(preview ? [diff(preview, Number.POSITIVE_INFINITY)] : []),
    element('div', { class: 'answers', 'data-question': id }, [
      answer(words.once, 'once'),
      ...(lasting.length > 0 ? [answer(words.session, 'session'), answer(words.always, 'always')] : []),
      answer(words.no, 'no'),
      button(words.noBecause, (event) => isByPerson(event) && post?.({ type: 'refuse', question: id })),
      ...(preview ? [button(words.diff, () => post?.({ type: 'diff', question: id }))] : []),
    ]),
  ])
}

/** The first lines of a command's output, how many are left out, and the end, in which errors are red. */
function glimpseOf({ first, left, last }: CommandGlimpse, words: RendererWords): PageNode[] {
  if (first.length + last.length === 0) return []
  const more = left > 0 ? [element('span', { class: 'more' }, [words.moreLines(left), '\n'])] : []
  const end = last.map(({ text, isError }) =>
    element('span', { class: isError ? 'stderr' : 'stdout' }, [safeText(text), '\n']),
  )
  const start = first.map((text) => `${safeText(text)}\n`)
  return [element('pre', { class: 'output', tabindex: '0' }, [...start, ...more, ...end])]
}

function todoList(todos: NonNullable<ToolPart['todos']>): PageElement {
  const signs: Readonly<Record<string, string>> = { completed: '☑', in_progress: '▶', cancelled: '☒' }
  return element(
    'ul',
    { class: 'todos' },
    todos.map(({ content, status }) =>
      element('li', { class: status }, [`${signs[status] ?? '☐'} ${content}`]),
    ),
  )
}

const shownLines = 200

/** A unified diff, one element per line, without the file's names: they are above it. */
export function diff(text: string, most = shownLines): PageElement {
  const lines = diffLines(text).slice(isOfOneFile(text) ? 2 : 0)
  const more = lines.length - most
  const shown = lines.slice(0, most)
  return element('pre', { class: 'diff', tabindex: '0' }, [...shown, ...(more > 0 ? [`… ${more}`] : [])])
}

/** Whether it begins with the two names of its only file, which was not renamed. */
function isOfOneFile(text: string): boolean {
  const [, before, after] = /^--- (.*)\n\+\+\+ (.*)\n@@/.exec(text) ?? []
  if (before === undefined || after === undefined || /\n--- .*\n\+\+\+ /.test(text.slice(4))) return false
  return [before, after].includes('/dev/null') || before.replace(/^a\//, '') === after.replace(/^b\//, '')
}
