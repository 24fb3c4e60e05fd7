/** Sentences of another language by their English form, in which `{0}` is the first argument. */
export type Sentences = ReadonlyMap<string, string>

let chosen: Sentences = new Map()

/** Chooses the language of everything that is said from now on. Without sentences it is English. */
export function speak(sentences: Sentences = new Map()): void {
  chosen = sentences
}

/** A sentence for people, in their language: say`${name} is not set`. */
export function say(pieces: TemplateStringsArray, ...args: readonly (string | number | undefined)[]): string {
  const english = pieces.map((piece, at) => (at === 0 ? piece : `{${at - 1}}${piece}`)).join('')
  return filled(chosen.get(english) ?? english, args)
}

/** A text without arguments in the reader's language. One without a translation stays as it is. */
export function sayWord(english: string): string {
  return chosen.get(english) ?? english
}

/** `{0}` is replaced once: an argument may look like a hole itself. */
function filled(sentence: string, args: readonly (string | number | undefined)[]): string {
  return sentence.replace(/\{(\d)\}/g, (hole, at: string) => String(args[Number(at)] ?? hole))
}
