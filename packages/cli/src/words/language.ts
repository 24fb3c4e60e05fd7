type Environment = Readonly<Record<string, string | undefined>>

/** The languages that we have words in. */
export type Language = 'en' | 'zh'

/** Chooses by `MUTSUMI_LANG`, else by the locale. English if neither names another language that we have. */
export function languageOf({ MUTSUMI_LANG, LC_ALL, LC_MESSAGES, LANG }: Environment): Language {
  const language = [MUTSUMI_LANG, LC_ALL, LC_MESSAGES, LANG].find((each) => each !== undefined && each !== '')
  return language?.toLowerCase().startsWith('zh') ? 'zh' : 'en'
}

/** Loads the words of the reader's language. Output for programs is the same in every language. */
export async function speakTo(words: readonly string[], environment: Environment): Promise<Language> {
  const isForPrograms = words.some((word) => word === '--json' || word === '--stream-json')
  if (isForPrograms || languageOf(environment) === 'en') return 'en'
  const [{ speak }, { spokenChinese }] = await Promise.all([import('./say.js'), import('./chinese.js')])
  speak(spokenChinese)
  return 'zh'
}
