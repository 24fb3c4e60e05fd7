import type { ModelFault, Phrase, Warning, WordedMessage } from '@mutsumi/schema'

/** Sentences of another language by their English form, in which `{0}` is the first argument. */
export type Sentences = ReadonlyMap<string, string>

/** A language other than English. */
export interface Speech {
  readonly sentences: Sentences
  /** The words that the engine gives as data. */
  readonly warning: (warning: Warning) => Warning
  readonly line: (result: { readonly line: string; readonly phrase?: Phrase }) => string
  readonly fault: (fault: WordedMessage) => string
  readonly end: (end: { readonly message: string; readonly fault?: ModelFault | undefined }) => string
  readonly refusal: (text: string) => string
}

const english: Speech = {
  sentences: new Map(),
  warning: (warning) => warning,
  line: ({ line }) => line,
  fault: ({ message }) => message,
  end: ({ message }) => message,
  refusal: (text) => text,
}

let chosen = english

/** Chooses the language of everything that is said from now on. */
export function speak(translation: Partial<Speech> = {}): void {
  chosen = { ...english, ...translation }
}

/** A sentence for people, in their language: say`${name} is not set`. */
export function say(pieces: TemplateStringsArray, ...args: readonly (string | number | undefined)[]): string {
  const sentence = pieces.map((piece, at) => (at === 0 ? piece : `{${at - 1}}${piece}`)).join('')
  return filled(sayWord(sentence), args)
}

/** A text without arguments in the reader's language. One without a translation stays as it is. */
export function sayWord(word: string): string {
  return chosen.sentences.get(word) ?? word
}

export const sayWarning = (warning: Warning): Warning => chosen.warning(warning)
export const sayLine: Speech['line'] = (result) => chosen.line(result)
/** A fault of a model, or another failure. */
export const sayFault = (fault: WordedMessage): string => chosen.fault(fault)
/** Why a round ended. */
export const sayEnd: Speech['end'] = (end) => chosen.end(end)
/** Why a call or a round did not succeed, as a session records it. */
export const sayRefusal = (text: string): string => chosen.refusal(text)

/** `{0}` is replaced once: an argument may look like a hole itself. */
function filled(sentence: string, args: readonly (string | number | undefined)[]): string {
  return sentence.replace(/\{(\d)\}/g, (hole, at: string) => String(args[Number(at)] ?? hole))
}
