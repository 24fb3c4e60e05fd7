/**
 * A text for the editor's messages. In them, `[label](command:…)` is a link that runs a command, and the text may quote
 * a file or a model.
 */
export function messageText(text: string): string {
  return text.replaceAll('](', '] (')
}

/** A text as code in Markdown, on one line. Nothing in it is a link, a picture or a new block. */
export function codeSpan(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  const space = longest > 0 ? ' ' : ''
  return line === '' ? '' : `${fence}${space}${line}${space}${fence}`
}
