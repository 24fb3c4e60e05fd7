import type { CitedLine } from './tool-result.js'

export const isDocument = (file: string) => /\.(?:md|mdx|markdown|txt|rst|adoc)$/i.test(file)

/** Headings that their neighbours tell, with the mark of others: `History\n=======`, `# Installing` further down. */
export function withHeadings(lines: readonly CitedLine[]): readonly CitedLine[] {
  return lines.map((line, index) => {
    const below = lines[index + 1]?.text.trim() ?? ''
    const isUnderlined = isUnderline(below) && below.length + 3 >= line.text.trim().length
    const above = lines[index - 1]?.text.trim()
    if (!isDocument(line.file)) return line
    if (/^# [A-Z]/.test(line.text) && above === '') return { ...line, text: `#${line.text}` }
    return isUnderlined && /^[^\s#|>*+=~-]/.test(line.text) ? { ...line, text: `## ${line.text}` } : line
  })
}

export const isUnderline = (text: string) => /^(?:={3,}|-{3,}|~{3,}|\^{3,})\s*$/.test(text)

/** Further down, a single `#` is a comment in an example. */
export const isHeading = ({ file, line, text }: CitedLine) =>
  isDocument(file) && (line < 20 ? /^#{1,6} / : /^#{2,6} /).test(text)

export const importing =
  /^\s*(?:import\b|from\b|export\s*(?:type\s*)?[{*]|use\s|#include\b|require\b|\}\s*from\b|(?:type )?\w+,$)|^.{0,200}=\s*require\(/
export const comment = /^\s*(?:\/\/|\/?\*|#(?!\[)|--|"""|@)/

/** Headings, rows and items; definitions, tests, functions that are assigned, methods and keys. */
const told = [/^#{1,6} +(.+?) *#*$/, /^\| *([^|]{1,20}?) *\|/, /^\s*[*-] +(?:\*\*|`)([^*`]+)|^`(--?[\w-]+)/]
const defined = [
  /^\s*(?:#\[.*\]\s*)?(?:[a-z]+(?:\(\w+\))?\s+)*(?:class|interface|type|enum|struct|trait|function\*?|fn|fun|func|def|macro_rules!|const|let|var|val|module|namespace|mod|record|object|protocol)\s+(?:\([^)]*\)\s*|self\.)?([\p{L}_$][\p{L}\p{N}_$]*)/u,
  /^\s*(?:it|test|describe)(?:\.\w+)*(?:\(.{0,100}\))?\(\s*['"`](.+?)['"`]\s*,/,
  // `module.exports = class Shop extends …`: the class has the name.
  /^(?:[\w$]+\.)*[\w$]+\s*=\s*class\s+(?!extends\b)([\p{L}_$][\p{L}\p{N}_$]*)/u,
  /^(?:[\w$]+\.)*([\w$]+)\s*=\s*(?:async\s*)?(?:function|class|\()/,
  // `exports.methods = …`, `Shop.prototype.open = …`, `module.exports.open = …`
  /^(?:[\w$]+\.)+([\w$]+)\s*=(?!=)/,
  /^\s{1,12}(?:(?:[a-z]+|\*)\s+)*(#?(?!(?:if|for|while|switch|catch|return|function|with)\b)[\p{L}_$][\p{L}\p{N}_$]*)\s*\((?!.*(?:\bfunction\b|=>))[^;]*\)?[^;=]*\{\s*$/u,
  /^\s*"?([\w:.@/-]+)"?\s*[:=]\s*["{[\d]/,
]

/** The name that a line defines; '' if none. A local variable, or `  type Item,` of an import, defines nothing. */
export function nameOf({ file, text }: CitedLine): string {
  if (!isDocument(file) && comment.test(text)) return ''
  if (/^\s+(?:type \w+,?\s*$|(?:const|let|var) )/.test(text)) return ''
  const patterns = isDocument(file) ? told : defined
  const found = patterns.map((pattern) => pattern.exec(text.slice(0, 300))?.slice(1).find(Boolean))
  return found.find(Boolean)?.replace(/<[^>]*>|[*`]/g, '') ?? ''
}

/** A chapter of a document, a definition of code, a first key of JSON. */
export function isPart(line: CitedLine): boolean {
  if (isDocument(line.file)) return isHeading(line) && /^##? /.test(line.text)
  return /^\S|^(?: {2}|\t)"/.test(line.text) && !importing.test(line.text) && nameOf(line) !== ''
}

/** The first prose of a README, best "Koa is a framework …" after news and badges, but not that of a later chapter. */
export function introductionOf(lines: readonly CitedLine[]): CitedLine | undefined {
  const readme = withHeadings(lines.filter(({ file }) => file === lines[0]?.file && isDocument(file)))
  const second = readme.filter((line) => isHeading(line) && /^##/.test(line.text))[1]
  const first = readme.filter(({ line }) => line < (second?.line ?? 80))
  const found = first.find(({ text }) => introduces.test(text)) ?? first.find(isStart)
  return lines.find(({ file, line }) => file === found?.file && line === found.line)
}

const introduces = /^[^\w\s]*[A-Z`*][\w. -]{1,30}\W{0,3}\s(?:is|are) (?:an?|the)\b/i

export const onlyLinks = /^[^\w[]*(?:\[{1,2}[^\][]*\]\([^()]*\)\]?[\s|·•,/-]*)+$/

/** The line that describes a file: the first prose of a document, the first definition of code. */
export const isStart = (line: CitedLine) =>
  isDocument(line.file)
    ? !onlyLinks.test(line.text) && /^\s{0,3}(?:\[(?![!<])|\*\*|[^\s#<![&|*+=\d-])/.test(line.text)
    : isPart(line)
