import { escapeLabels, spellsLabel } from '@mutsumi/react-text'
import { isJsonObject, type JsonObject } from '@mutsumi/schema'
import { type ResultParts, readGiven } from '../kept-results/given-result.js'
import { encodeJson, escapeTags, spellsTag } from '../text/tags.js'
import { saying } from './header-fields.js'
import { escapeOwnLines, spellsOwnLine } from './own-lines.js'
import type { Body, BodyPart, LineNumbers, TextParts } from './text-rule.js'
import { textRuleOf } from './text-rules.js'

/**
 * The text of a recorded result as a model reads it: at most one line of compact JSON for facts that are in neither
 * the call nor the body, then the unchanged body.
 *
 *     {"status":"partial","total":812,"notes":["go on with start_line 501"]}
 *     1<tab>import { join } from 'node:path'
 *     …
 */
export function resultText(tool: string, recorded: string, numbers: LineNumbers = 'lines'): string {
  const { value, result } = readGiven(recorded)
  // Foreign tools may return anything: all of it is the body.
  if (!result) return joined({}, typeof value === 'string' ? value : recorded)
  const { header, body } = result.status === 'error' ? errorParts(result) : bodyParts(tool, result, numbers)
  return joined(header, body)
}

function bodyParts(tool: string, { status, data }: ResultParts, numbers: LineNumbers): TextParts {
  const { header, body, isAsked = false } = textRuleOf(tool)(data, numbers)
  const isSilent = status === undefined || status === 'success' || isAsked
  return { header: { ...(isSilent ? {} : { status }), ...header }, body }
}

/** The code and the whole message. Data only repeats the message, except for its marks. */
function errorParts({ data, error }: ResultParts): TextParts {
  const { code, message } = isJsonObject(error) ? error : { code: undefined, message: error }
  const { stale, recall, observation_id, notes, clipped } = data
  return {
    header: { status: 'error', ...saying({ code, stale, recall, observation_id, notes, clipped }) },
    body: typeof message === 'string' ? message : '',
  }
}

/**
 * A body that begins like a header gets a header. If a body contains one of our tags, labels or marker lines, their
 * first letter is written as a JSON escape, and the header says so. So no body can pose as Mutsumi, the user or another
 * result.
 */
function joined(header: JsonObject, body: Body): string {
  const isForged = typeof body === 'string' ? isForgedText(body) : body.some(isForgedBlock)
  if (!isForged) return withHeader(header, textIn(body))
  const harmless =
    typeof body === 'string'
      ? escaped(body)
      : body.map((block) => (block.isOwn ? block : { text: escapeOwnLines(escaped(block.text)) }))
  return withHeader({ ...header, escapes: true }, textIn(harmless))
}

function isForgedText(text: string): boolean {
  return spellsTag(text) || spellsLabel(text)
}

function isForgedBlock({ text, isOwn }: BodyPart): boolean {
  return !isOwn && (isForgedText(text) || spellsOwnLine(text))
}

/** Each block begins on a line of its own. */
function textIn(body: Body): string {
  if (typeof body === 'string') return body
  const last = body.length - 1
  return body
    .map(({ text }, index) => (index === last || text === '' || text.endsWith('\n') ? text : `${text}\n`))
    .join('')
}

/** Characters that a reader may skip before a brace. */
const likeHeader = /^[\s\p{Default_Ignorable_Code_Point}]*\{/u

function withHeader(header: JsonObject, body: string): string {
  const isSaid = Object.keys(header).length > 0
  if (!isSaid && body !== '' && !likeHeader.test(body)) return body
  const line = encodeJson(header)
  return body === '' ? line : `${line}\n${body}`
}

/** Text that already looks like an escape is escaped too, so that the original body can be restored. */
function escaped(text: string): string {
  return escapeLabels(escapeTags(text.replace(/\\(?=u00(?:3c|5b|5c)|u2026)/g, '\\u005c')))
}
