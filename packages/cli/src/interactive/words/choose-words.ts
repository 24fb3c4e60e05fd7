import { chinese } from './chinese.js'
import { english } from './english.js'
import type { Words } from './words.js'

type Environment = Readonly<Record<string, string | undefined>>

/** Chooses by `MUTSUMI_LANG`, else by the locale. English if neither names another language that we have. */
export function wordsFor({ MUTSUMI_LANG, LC_ALL, LC_MESSAGES, LANG }: Environment): Words {
  const language = [MUTSUMI_LANG, LC_ALL, LC_MESSAGES, LANG].find((each) => each !== undefined && each !== '')
  return language?.toLowerCase().startsWith('zh') ? chinese : english
}
