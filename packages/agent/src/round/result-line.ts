import { type Phrase, phraseText, safeLine, type ToolResult } from '@mutsumi/schema'
import { reasonText } from '@mutsumi/tools/parts'
import { englishResults, firstLine, isOwnDecision, resultPhrase } from './result-phrase.js'

/** A result in a few words for people. */
export interface ResultWords {
  readonly line: string
  /** The same as data, if Mutsumi chose the words. */
  readonly phrase?: Phrase
}

/** A result in a few words, taken from its data, or else the first line of its text. */
export function resultWords(name: string, result: ToolResult): ResultWords {
  const known = resultPhrase(name, result)
  return { line: lineOf(name, result, known), ...(known && { phrase: known }) }
}

function lineOf(name: string, result: ToolResult, known: Phrase | undefined): string {
  if (result.status === 'error') return cut(isOwnDecision(known) ? reasonText(known) : result.error.message)
  if (known && known.code in englishResults) return cut(phraseText(known, englishResults))
  return cut(name === 'TodoWrite' && typeof result.data.recap === 'string' ? result.data.recap : result.text)
}

function cut(text: string): string {
  const first = firstLine(text)
  return safeLine(first.length > 200 ? `${first.slice(0, 200)}…` : first)
}
