import { type Conversation, resultOf, type Step } from './conversation.js'
import { phrases } from './phrases.js'
import { countCall, listCall, pathsIn } from './plan.js'
import type { Question } from './question.js'
import { clip, placeName } from './quote.js'
import { matchesIn } from './rank.js'

/** What is in the folder, or the files of the kind, that the question asks for. */
export function listAnswer(question: Question, conversation: Conversation): string {
  const say = phrases[question.language]
  const call = listCall(question)
  const step = resultOf(conversation, call)
  return step && !step.failed ? listText(step, question) : say.notThere(String(call.args.path ?? '.'))
}

/** As many entries as are named. */
const mostEntries = 60

export function listText({ name, args, data }: Step, { language }: Question): string {
  const say = phrases[language]
  const entries = (name === 'LS' ? textsIn(data.entries) : textsIn(data.paths)).sort()
  const total = typeof data.total === 'number' ? data.total : entries.length
  const place = `\`${name === 'LS' ? String(args.path) : String(args.pattern)}\``
  const shown = entries.slice(0, mostEntries).map((entry) => `- ${clip(entry, 200)}`)
  const rest = total - shown.length
  return [
    say.list(total, place),
    ...(total === 0 ? [say.empty] : shown),
    ...(rest > 0 ? [`- … (${rest})`] : []),
  ].join('\n')
}

/** Entries come as names, or as objects that have one. */
function textsIn(list: unknown): string[] {
  if (!Array.isArray(list)) return []
  return list.flatMap((entry: unknown) => {
    if (typeof entry === 'string') return [entry]
    const { path, type } = (entry ?? {}) as { readonly path?: unknown; readonly type?: unknown }
    return typeof path === 'string' ? [type === 'directory' ? `${path}/` : path] : []
  })
}

/** How many there are of what the question asks for. */
export function countAnswer(question: Question, conversation: Conversation): string {
  const say = phrases[question.language]
  const call = countCall(question)
  const step = resultOf(conversation, call)
  const where = `\`${String(call.args.path ?? '.')}\``
  if (!step || step.failed) return say.notThere(String(call.args.path ?? '.'))
  const atLeast = step.data.truncated === true ? '≥ ' : ''
  switch (call.name) {
    case 'Read':
      return say.countLines(
        typeof step.data.total_lines === 'number' ? step.data.total_lines : 0,
        String(call.args.path),
      )
    case 'Grep': {
      const matches = matchesIn(step)
      const files = new Set(matches.map(({ file }) => file)).size
      const [first] = matches
      const example = first ? ` ${placeName(first.file, first.line)}: ${clip(first.text.trim(), 100)}` : ''
      return `${say.countMatches(`${atLeast}${matches.length}`, files, String(call.args.pattern))}${example}`
    }
    default: {
      const total = typeof step.data.total === 'number' ? step.data.total : pathsIn(step).length
      return say.countFiles(`${total}`, String(call.args.pattern), where)
    }
  }
}
