import { sayWord } from '../words/say.js'

/** `3 rounds`, in the reader's language. */
export function count(number: number, noun: string): string {
  const english = `{0} ${noun}`
  const sentence = sayWord(english)
  return sentence === english
    ? `${amount(number)} ${noun}${number === 1 ? '' : 's'}`
    : sentence.replace('{0}', amount(number))
}

/** 12 345, with a space that every terminal has. */
export function amount(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ' ')
}
