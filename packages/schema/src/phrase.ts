/** Words as data, so that a model and a person may read them in different languages. */
export interface Phrase {
  readonly code: string
  readonly args: readonly (string | Phrase)[]
}

/** The words for codes, in one language. `{0}` is an argument, and `{0!}` one that is itself a phrase. */
export type PhraseTemplates<Code extends string = string> = Readonly<Record<Code, string>>

export function phrase<Code extends string>(
  code: Code,
  ...args: readonly (string | number | Phrase)[]
): Phrase & { readonly code: Code } {
  return { code, args: args.map((arg) => (typeof arg === 'number' ? String(arg) : arg)) }
}

/** A message as text and as data, in the words of one catalogue. */
export function wordedIn<Code extends string>(
  templates: PhraseTemplates<Code>,
): (code: Code, ...args: readonly (string | number | Phrase)[]) => WordedPhrase {
  return (code, ...args) => {
    const said = phrase(code, ...args)
    return { message: phraseText(said, templates), phrase: said }
  }
}

export interface WordedPhrase {
  readonly message: string
  readonly phrase: Phrase
}

/** A message for people. One whose words are not data stays English. */
export interface WordedMessage {
  readonly message: string
  readonly phrase?: Phrase | undefined
}

/** A phrase in words. */
export function phraseText({ code, args }: Phrase, templates: PhraseTemplates): string {
  return (templates[code] ?? code).replace(/\{(\d)!?\}/g, (_, at: string) => {
    const arg = args[Number(at)] ?? ''
    return typeof arg === 'string' ? arg : phraseText(arg, templates)
  })
}
