import type { CitedLine } from './tool-result.js'

/** The lines of a field: up to its closing bracket, or a table of TOML up to the next one; else the line alone. */
export function blockAt(lines: readonly CitedLine[], at: number, most = 40): CitedLine[] {
  const first = lines[at]
  if (!first) return []
  const rest = lines.slice(at + 1).filter(({ file }) => file === first.file)
  return [first, ...rest.slice(0, Math.min(lengthOf(first.text, rest), most - 1))]
}

function lengthOf(first: string, rest: readonly CitedLine[]): number {
  const table = /^\[+([\w.-]+)/.exec(first)?.[1]
  const isEnd = (test: (text: string) => boolean) => {
    const end = rest.findIndex(({ text }) => test(text))
    return end === -1 ? rest.length : end
  }
  // `[dependencies.clap]` still belongs to `[dependencies]`.
  if (table !== undefined) return isEnd((text) => text.startsWith('[') && !text.startsWith(`[${table}.`))
  if (!/[[{(]\s*$/.test(first))
    return /^\s*<(\w+)>\s*$/.test(first) ? isEnd((text) => /^\s*<\//.test(text)) : 0
  const depth = first.search(/\S/)
  return isEnd((text) => text.search(/\S/) === depth && /^\s*[\]})]/.test(text)) + 1
}
