import type { PermissionQuestion } from '@mutsumi/tools'
import { questionWords, type ReasonTemplates, readReason, reasonText } from '@mutsumi/tools/parts'
import { chineseReasons } from './chinese-reasons.js'

/** A question with its reasons in a person's language, such as `zh-cn`. */
export function localQuestion(question: PermissionQuestion, language: string): PermissionQuestion {
  const templates = templatesFor(language)
  const { reasons, parts } = question
  return templates ? { ...question, ...questionWords(reasons, parts, templates) } : question
}

/**
 * A refusal in a person's language. A session records it in English, because a model reads it. Other texts stay as
 * they are.
 */
export function localRefusal(text: string, language: string): string {
  const templates = templatesFor(language)
  const reason = templates && readReason(text)
  return reason?.code === 'not-permitted' ? reasonText(reason, templates) : text
}

/** Undefined: English, in which reasons are written already. */
function templatesFor(language: string): ReasonTemplates | undefined {
  return language.toLowerCase().startsWith('zh') ? chineseReasons : undefined
}
