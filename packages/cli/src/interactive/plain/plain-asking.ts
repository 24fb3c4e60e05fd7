import type { Asker, ChoiceQuestion, TextQuestion, ValuedChoice } from '../picker/asker.js'
import { matchesOf } from '../picker/picker.js'
import { type Line, span } from '../text/span.js'
import { visibleLine } from '../text/visible-text.js'
import type { Words } from '../words/words.js'

export interface PlainAskingOptions {
  readonly words: Words
  readonly print: (lines: readonly Line[]) => void
  /** Undefined if no answer will come. */
  readonly read: (prompt: string) => Promise<string | undefined>
}

/** Only the first choices of a longer list are read aloud. The user finds the others by words. */
const listedAtMost = 20

/** Questions in plain lines: choices have numbers, and words look for others. An empty line goes back. */
export function plainAsker({ words, print, read }: PlainAskingOptions): Asker {
  const list = (title: string, choices: readonly ValuedChoice<unknown>[]) => {
    const shown = choices.slice(0, listedAtMost)
    const more = choices.length > shown.length ? [words.picker.count(shown.length, choices.length)] : []
    const lines = shown.map(
      ({ label, detail }, index) => `${index + 1}. ${label}${detail ? `  ${detail}` : ''}`,
    )
    const said = shown.length === 0 ? [words.picker.none] : lines
    print([title, ...said, ...more].map((text) => [span(visibleLine(text))]))
    return shown
  }
  return {
    async choose<Value>({ title, choices, isNumbered = false, query = '', search }: ChoiceQuestion<Value>) {
      const look = async (text: string) => {
        const found = (await search?.(text, new AbortController().signal)) ?? []
        const matching = matchesOf(choices, text).flatMap((at) => choices[at] ?? [])
        return list(title, [...matching, ...found]) as readonly ValuedChoice<Value>[]
      }
      let shown = query === '' ? (list(title, choices) as readonly ValuedChoice<Value>[]) : await look(query)
      for (;;) {
        const prompt = isNumbered ? words.picker.plainShort(shown.length) : words.picker.plain(shown.length)
        const line = (await read(`${prompt} `))?.trim()
        if (line === undefined || line === '') return undefined
        const chosen = /^\d+$/.test(line) ? shown[Number(line) - 1] : undefined
        if (chosen) return chosen.value
        if (isNumbered || /^\d+$/.test(line)) continue
        shown = await look(line)
      }
    },
    async write({ title, placeholder = '', initial = '' }: TextQuestion) {
      const hint = [placeholder, initial].filter((text) => text !== '').join(', ')
      print([[span(visibleLine(hint === '' ? title : `${title} (${hint})`))]])
      return read('')
    },
  }
}
