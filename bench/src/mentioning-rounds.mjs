// Sessions in which the user mentions files, made from logged ones: the files that a round works on are mentioned with its
// message, and the agent does not read them itself.
import { ourResult } from './transcript-log.mjs'

/** How many files a message mentions at most. */
const mostMentions = 2

/** The rounds of a logged session, from the first mention on; empty if no file is known. */
export function mentioningRounds(session) {
  const files = new SessionFiles(session)
  const rounds = []
  let last = Number.NEGATIVE_INFINITY
  const calls = new Map()
  for (const message of session) {
    const time = Date.parse(message.at)
    if (message.role === 'user') rounds.push({ text: message.text ?? '', at: time, messages: [] })
    for (const call of message.calls ?? []) calls.set(call.id, call)
    if (['assistant', 'tool'].includes(message.role))
      rounds.at(-1)?.messages.push({ ...message, asked: last, call: calls.get(message.id) })
    if (Number.isFinite(time)) last = time
  }
  const asked = rounds.filter(({ messages }) => messages.some(({ role }) => role === 'assistant'))
  const made = asked.map((round) => mentioningRound(round, files))
  const first = made.findIndex(({ mentions }) => mentions.length > 0)
  return first === -1 ? [] : made.slice(first)
}

function mentioningRound({ text, messages }, files) {
  const touched = messages.flatMap(({ calls = [] }) => calls.map(({ args }) => args?.file_path))
  const names = [...new Set(touched)].filter((path) => files.has(path)).slice(0, mostMentions)
  const changes = names.flatMap((path) => files.mention(path))
  const mentions = names.map((path) => files.get(path))
  const requests = []
  for (const message of messages) {
    const { role, asked, calls = [], text: said = '' } = message
    if (role === 'assistant') {
      const made = calls.filter((call) => !isReadOf(call, names))
      requests.push({ at: asked, steps: [] })
      requests.at(-1).steps.push({ role, content: said, metadata: made.length > 0 ? { calls: made } : {} })
      for (const call of made) {
        const changed = files.change(call)
        if (changed) requests.at(-1).steps.at(-1).changed = changed
      }
    } else if (requests.length > 0 && message.call && !isReadOf(message.call, names)) {
      const { name, args = {}, id } = message.call
      const result = ourResult({ ...message, name }, args)
      requests.at(-1).steps.push({ role: 'tool', tool: name, args, id, result })
    }
  }
  return { text, mentions, changes, requests }
}

const isReadOf = ({ name, args }, paths) => name === 'Read' && paths.includes(args?.file_path)

/** Files by what the log shows of them: every line that was read, then the agent's own edits. */
class SessionFiles {
  #files = new Map()

  constructor(session) {
    const calls = new Map()
    const found = new Map()
    for (const { role, id, text = '', error, calls: made = [] } of session) {
      for (const call of made) calls.set(call.id, call)
      const { name, args } = calls.get(id) ?? {}
      if (role !== 'tool' || name !== 'Read' || error || !args?.file_path) continue
      const lines = found.get(args.file_path) ?? new Map()
      for (const [, number, line] of text.matchAll(/^ *(\d+)→(.*)$/gm))
        if (!lines.has(Number(number))) lines.set(Number(number), line)
      if (lines.size > 0) found.set(args.file_path, lines)
    }
    for (const [path, lines] of found) {
      const content = [...lines].sort(([one], [other]) => one - other).map(([, line]) => line)
      // Of no kind that is expanded.
      const name = `f${this.#files.size}.src`
      this.#files.set(path, { name, content: `${content.join('\n')}\n`, mentioned: 0 })
    }
  }

  has(path) {
    return this.#files.has(path)
  }

  get(path) {
    return this.#files.get(path)
  }

  /** Between its mentions the user changes one line of a file, every third time. */
  mention(path) {
    const { mentioned, ...file } = this.#files.get(path)
    const isChanged = mentioned % 3 === 2
    const lines = file.content.split('\n')
    if (isChanged) lines[lines.length >> 1] += ` // seen ${mentioned}`
    const content = lines.join('\n')
    this.#files.set(path, { ...file, content, mentioned: mentioned + 1 })
    return mentioned === 0 || isChanged ? [{ ...file, content }] : []
  }

  /** The file as a call of the agent leaves it; undefined if the call changes none that is known. */
  change({ name, args = {} }) {
    const file = this.#files.get(args.file_path)
    if (!file || !['Edit', 'Write'].includes(name)) return undefined
    const { old_string: from = '', new_string: to = '', content: whole } = args
    const content = name === 'Write' ? String(whole ?? '') : file.content.replace(from, () => to)
    if (content === file.content || file.mentioned === 0) {
      this.#files.set(args.file_path, { ...file, content })
      return undefined
    }
    this.#files.set(args.file_path, { ...file, content })
    return { name: file.name, content }
  }
}
