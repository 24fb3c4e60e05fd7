import type { MarkdownRenderer } from './markdown-stream.js'
import { renderText } from './render-text.js'

/** Loads the Markdown renderer. The highlighter is loaded at the first fence. */
export async function openRenderer(): Promise<MarkdownRenderer & { prepare(text: string): Promise<void> }> {
  let highlighterFor: MarkdownRenderer['highlighterFor'] = () => (line) => [{ text: line }]
  let isLoaded = false
  return {
    renderText,
    highlighterFor: (language) => highlighterFor(language),
    async prepare(text) {
      // A fence may come in two pieces, so its first character is enough.
      if (isLoaded || !/[`~]/.test(text)) return
      isLoaded = true
      highlighterFor = (await import('./highlight.js')).highlighterFor
    },
  }
}
