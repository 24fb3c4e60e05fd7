import { englishAgentWarnings } from '@mutsumi/agent'
import { englishCompactions, englishWarnings } from '@mutsumi/context/parts'
import {
  type ModelFault,
  type Phrase,
  PhraseReader,
  type PhraseTemplates,
  phraseText,
  safeLine,
  type Warning,
  type WordedMessage,
} from '@mutsumi/schema'
import { englishNotes } from '@mutsumi/session/parts'
import type { PermissionQuestion } from '@mutsumi/tools'
import { englishOutcomes, questionWords, readOutcome, readReason } from '@mutsumi/tools/parts'
import { englishFailures } from '../ground/failure-words.js'
import { chineseCompactions } from './chinese-compactions.js'
import { chineseFailures } from './chinese-failures.js'
import { chineseFaults } from './chinese-faults.js'
import { chineseOutcomes } from './chinese-outcomes.js'
import { chineseReasons } from './chinese-reasons.js'
import { chineseResults } from './chinese-results.js'
import { chineseSessionFaults } from './chinese-session-faults.js'
import { chineseWarnings } from './chinese-warnings.js'

/** A question with its reasons in a person's language, such as `zh-cn`. */
export function localQuestion(question: PermissionQuestion, language: string): PermissionQuestion {
  const { reasons, parts } = question
  return isChinese(language) ? { ...question, ...questionWords(reasons, parts, chineseReasons) } : question
}

/** A result's line in a person's language. A line without a phrase stays as it is. */
export function localLine(
  { line, phrase }: { readonly line: string; readonly phrase?: Phrase },
  language: string,
): string {
  const text = phrase && localPhrase(phrase, language)
  if (text === undefined) return line
  return text.length > longestLine ? `${text.slice(0, longestLine)}…` : text
}

const longestLine = 200

/**
 * A refusal in a person's language. A session records it in English, because a model reads it. Other texts stay as
 * they are.
 */
export function localRefusal(text: string, language: string): string {
  if (!isChinese(language)) return text
  const reason = readReason(text)
  const refusal = reason?.code === 'not-permitted' ? reason : (readOutcome(text) ?? problems.read(text))
  return (refusal && localPhrase(refusal, language)) ?? text
}

/** A fault or another failure in a person's language. One whose words are not data stays as it is. */
export function localFault({ message, phrase }: WordedMessage, language: string): string {
  return (phrase && localPhrase(withProblems(phrase), language)) ?? message
}

/** Why a round ended, in a person's language. A fault has its words as data, and they are part of the message. */
export function localEnd(
  { message, fault }: { readonly message: string; readonly fault?: ModelFault | undefined },
  language: string,
): string {
  if (!fault || !message.includes(fault.message)) return localRefusal(message, language)
  const at = message.indexOf(fault.message)
  const after = message
    .slice(at + fault.message.length)
    .replace(/^\./, '')
    .trim()
  const cause = localFault(fault, language)
  const words = after === '' ? [cause] : [wholeSentence(cause, language), localRefusal(after, language)]
  return `${message.slice(0, at)}${words.join(isChinese(language) ? '' : ' ')}`
}

/** A provider's own words may lack their full stop. */
function wholeSentence(cause: string, language: string): string {
  if (/[.!?…。！？]$/.test(cause)) return cause
  return `${cause}${isChinese(language) ? '。' : '.'}`
}

/** A warning with its message in a person's language. One without a translation stays as it is. */
export function localWarning(warning: Warning, language: string): Warning {
  const { phrase, ...rest } = warning
  const message = phrase && localPhrase(withProblems(phrase), language)
  return message === undefined ? warning : { ...rest, message }
}

/** Problems are words, because a model reads them too. Here each becomes a phrase again. */
function withProblems({ code, args }: Phrase): Phrase {
  const template = english[code] ?? ''
  const problemIn = (arg: string | Phrase, at: number) => {
    if (typeof arg !== 'string') return withProblems(arg)
    return template.includes(`{${at}!}`) ? (problems.read(arg) ?? arg) : arg
  }
  return { code, args: args.map(problemIn) }
}

/** Undefined: English, in which everything is written already, or a phrase of another version. */
function localPhrase(phrase: Phrase, language: string): string | undefined {
  if (!isChinese(language) || !isKnown(phrase)) return undefined
  return safeLine(phraseText(phrase, chinese))
}

const english: PhraseTemplates = {
  ...englishOutcomes,
  ...englishWarnings,
  ...englishAgentWarnings,
  ...englishNotes,
  ...englishCompactions,
  ...englishFailures,
}

const chinese: PhraseTemplates = {
  ...chineseReasons,
  ...chineseOutcomes,
  ...chineseResults,
  ...chineseWarnings,
  ...chineseFaults,
  ...chineseCompactions,
  ...chineseFailures,
  ...chineseSessionFaults,
}

/** Any text with a colon looks like the words of these. */
const { about: _, 'reference-failed': __, 'about-place': ___, ...readable } = english
const problems = new PhraseReader(readable as PhraseTemplates)

function isKnown({ code, args }: Phrase): boolean {
  return Object.hasOwn(chinese, code) && args.every((arg) => typeof arg === 'string' || isKnown(arg))
}

function isChinese(language: string): boolean {
  return language.toLowerCase().startsWith('zh')
}
