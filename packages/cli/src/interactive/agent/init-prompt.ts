import type { Words } from '../words/words.js'
import prompt from './prompts/init.md'

/** The prompt of `/init`, with the user's wishes. */
export function initPrompt(wishes: string): string {
  return [prompt.trim(), wishes].filter((text) => text !== '').join('\n\n')
}

/** Whether `/init` wrote a prompt. */
export function isInitPrompt(text: string): boolean {
  return text.startsWith(prompt.trim())
}

/** A recorded prompt as the user knows it: that of `/init` as one line in their language, with their wishes. */
export function shownPrompt(text: string, { init }: Words): string {
  if (!isInitPrompt(text)) return text
  return [init.shown, text.slice(prompt.trim().length).trim()].join(' ').trim()
}
