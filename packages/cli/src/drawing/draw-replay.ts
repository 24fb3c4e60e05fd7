import { type JsonObject, safeLine } from '@mutsumi/schema'
import type { SentMessage } from '@mutsumi/session'
import type { SentRequest } from '../sessions/sent-requests.js'
import { amount, count } from '../terminal/amounts.js'
import { drawTable } from '../terminal/columns.js'
import { since } from '../terminal/times.js'
import { say } from '../words/say.js'
import { drawSentBeside } from './draw-report.js'

/** The requests of a session, one a line. */
export function drawRequests(requests: readonly SentRequest[]): string {
  const rows = requests.map(({ round, request, purpose, at, tokens, model = '' }) => [
    round === undefined ? '–' : String(round),
    purpose === undefined ? String(request) : `${safeLine(purpose)}-${request}`,
    since(at, ''),
    tokens ? amount(tokens.input) : '–',
    tokens?.cached === undefined ? '–' : amount(tokens.cached),
    tokens ? amount(tokens.output) : '–',
    safeLine(model),
  ])
  return drawTable(
    [
      { title: 'round', align: 'right' },
      { title: 'request', align: 'right' },
      { title: 'sent' },
      { title: say`tokens in`, align: 'right' },
      { title: 'cached', align: 'right' },
      { title: 'out', align: 'right' },
      { title: 'model' },
    ],
    rows,
  )
}

/** The messages as they were sent, each below its role, and the proof. */
export function drawReplay(
  messages: readonly SentMessage[],
  {
    fingerprint,
    sent: beside,
    ...about
  }: Partial<SentRequest> & { readonly fingerprint: string; readonly sent?: JsonObject },
): string {
  const { round, request, purpose, at, model } = about
  const sent = say`sent${since(at, ' ')}${model === undefined ? '' : say` to ${safeLine(model)}`}`
  const head =
    say`Round ${round}, ${purpose === undefined ? '' : `${safeLine(purpose)} `}request ${request}: ${count(messages.length, 'message')}, ${sent}.\n` +
    say`Proved: they have the fingerprint ${safeLine(fingerprint)} that was stored with the request.`
  return `${head}\n\n${messages.map(drawMessage).join('\n')}${beside ? drawSentBeside(beside) : ''}`
}

function drawMessage({ role, content, calls = [], call_id }: SentMessage): string {
  const label = call_id === undefined ? role : `${role}, answers ${call_id}`
  const lines = [
    `── ${safeLine(label)} ──`,
    typeof content === 'string' ? unlike(content) : content.map(drawPart).join('\n'),
    ...calls.map(
      ({ id, name, args }) => `── calls ${safeLine(`${name} ${JSON.stringify(args)} (${id})`)} ──`,
    ),
  ]
  return `${lines.join('\n')}\n`
}

function drawPart(part: Exclude<SentMessage['content'], string>[number]): string {
  return part.type === 'text' ? unlike(part.text) : `[image ${safeLine(part.image_url.url.slice(0, 40))}…]`
}

/** No line of a message may look like our label of the next one. */
function unlike(text: string): string {
  return text.replace(/^── /gm, ' ── ')
}
