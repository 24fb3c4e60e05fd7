// Logged sessions, one JSON message per line, and their results in the form of a peer and of our tools.
import { readdirSync, readFileSync } from 'node:fs'
import { loggedResult, plainText } from './result-forms.mjs'

export function readTranscripts(folder) {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) =>
      readFileSync(`${folder}/${name}`, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    )
}

/** Splits a log at each compaction of its agent. The next segment begins with the summary. */
export function segmentsOf(session) {
  const segments = [[]]
  for (const message of session) {
    if (message.role === 'compaction') segments.push([])
    else segments.at(-1).push(message)
  }
  return segments.filter((segment) => segment.some(({ role }) => role === 'assistant'))
}

/** The times of a segment's requests: the time of the last message before each reply. */
export function requestTimes(segment) {
  const times = []
  let last = Number.NEGATIVE_INFINITY
  for (const { role, at } of segment) {
    if (role === 'assistant') times.push(last)
    const time = Date.parse(at)
    if (Number.isFinite(time)) last = time
  }
  return times
}

/** The requests without any rewrites, with results as `contentOf` shows them. */
export function* appendedRequests(segment, contentOf) {
  const messages = []
  const asked = new Map()
  for (const message of segment) {
    const { role, text = '', id, name, calls } = message
    if (role === 'assistant') yield [...messages]
    for (const call of calls ?? []) asked.set(call.id, call.args)
    if (role === 'tool')
      messages.push({
        role,
        content: contentOf(message, asked.get(id) ?? {}),
        metadata: { call_id: id, tool_name: name },
      })
    else
      messages.push({
        role: role === 'summary' ? 'system' : role,
        content: text,
        metadata: calls?.length ? { calls } : {},
      })
  }
}

/** The text as it is in the log. */
export const asLogged = ({ text = '' }) => text

/** The text as the leanest peer sends it: without numbers, headers or reminders. */
export const asPlain = ({ text = '' }) => plainText(text)

/** A logged result in the protocol of our tools. */
export function ourResult({ name, text = '', error }, args) {
  return loggedResult({ name, text, error, args })
}
