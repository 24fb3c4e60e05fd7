import { languageOf } from '../../words/language.js'
import { chinese } from './chinese.js'
import { english } from './english.js'
import type { Words } from './words.js'

/** The words of a conversation in the reader's language. */
export function wordsFor(environment: Readonly<Record<string, string | undefined>>): Words {
  return languageOf(environment) === 'zh' ? chinese : english
}
