import type { Question, Term } from './question.js'
import { clip, placeName } from './quote.js'
import { holds, isDocument } from './rank.js'
import type { Call, CitedLine, Result, ToolWork } from './tool-result.js'

/** Lines of documents and of code that may answer the question; otherwise files by their names. */
export function* findEvidence(question: Question): ToolWork<CitedLine[]> {
  const isTold = question.kind === 'what'
  const documents = isTold ? (yield inDocuments(question.terms)).lines : []
  const code = (yield* findMentions(question)).lines
  const forms = question.terms.flatMap((term) => term.forms.filter((form) => /^[\w.-]{3,40}$/.test(form)))
  const isEnough = forms.length === 0 || (isTold && code.length > 0)
  // Braces around a single word are part of the name.
  const named = forms.length === 1 ? forms.join() : `{${forms.join(',')}}`
  const names = isEnough ? [] : (yield { name: 'Glob', args: { pattern: `**/*${named}*`, limit: 100 } }).lines
  return [...documents, ...code.filter(({ file }) => !isTold || !isDocument(file)), ...names]
}

/** Headings come along: they name the subject of the lines below them. */
export function inDocuments(terms: readonly Term[]): Call {
  return grep(`^#+ |${patternOf(terms)}`, '*.{md,mdx,rst,txt}')
}

/** Lines with a name, or with two of the question's words near each other; otherwise lines with any of them. */
export function* findMentions({ terms, kind }: Question): ToolWork<Result> {
  const include =
    kind === 'tests' ? '**/{*[._-]{test,spec}.*,test_*,{test,tests,spec,__tests__}/**}' : undefined
  const names = terms.filter(({ name }) => name !== undefined)
  const words = terms.filter(({ forms }) => kind !== 'tests' || !forms.includes('test'))
  const any = patternOf(words)
  const near = names.length > 0 ? patternOf(names) : words.length > 1 ? `(${any}).{0,40}(${any})` : any
  const found = yield grep(near, include)
  const isFound = found.lines.some(({ text }) => terms.some((term) => holds(text, term)))
  if (!isFound && near !== any) return yield grep(any, include)
  if (!found.truncated || kind === 'uses') return found
  // The search ended at its limit and has not seen every file. There are few definitions.
  const defined = yield grep(
    `\\b(class|interface|type|enum|struct|trait|function|fn|func|def|const)\\s+\\w*(${any})`,
    include,
  )
  return { ...found, lines: [...found.lines, ...defined.lines] }
}

function grep(pattern: string, include?: string): Call {
  return { name: 'Grep', args: { pattern, ...(include && { include }), case_sensitive: false, limit: 1000 } }
}

function patternOf(terms: readonly Term[]): string {
  const forms = new Set(terms.flatMap((term) => term.forms))
  return [...forms].map((form) => form.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|')
}

const fields = 'version license licence node engine author'

/** The manifest's answer: fields that are asked for by name, or the scripts that run what is asked for. */
export function* findFacts({
  terms,
  kind,
  isHowTo,
}: Question): ToolWork<{ facts: string[]; command?: string }> {
  const isField = terms.some((term) => term.name === undefined && holds(fields, term))
  // "Which version of Node": the field has the name of the other word.
  const others = terms.filter(({ forms }) => !forms.includes('version'))
  const asked = others.length > 0 ? others : terms
  const keys = asked.flatMap(({ forms }) => forms).filter((form) => /^[a-z-]+$/.test(form))
  if (kind !== 'what' || keys.length === 0 || !(isHowTo || isField)) return { facts: [] }
  const { lines } = yield grep(
    `^\\s*"?(${keys.join('|')}).*[:=] *"`,
    '{package.json,Cargo.toml,pyproject.toml}',
  )
  const found = lines.flatMap(({ text, ...place }) => {
    const [, key = '', value = ''] = /^\s*"?([\w:.-]+)"?\s*[:=]\s*"(.*?)",?\s*$/.exec(text) ?? []
    const isVersion = /^[\s^~<>=v*]*\d/.test(value)
    const isWanted = isField
      ? isVersion || others.length === terms.length
      : !isVersion && !place.file.includes('/')
    const name = isField ? key : /^(?:test|start)$/.test(key) ? `npm ${key}` : `npm run ${key}`
    const fact = `- \`${name}\`${isField ? ':' : ' →'} ${clip(value, 160)} (${placeName(place)})`
    return isWanted && asked.every((term) => holds(key, term))
      ? [{ name, fact, isInRoot: !place.file.includes('/') }]
      : []
  })
  // The packages of a workspace have fields that its root does not have.
  const inRoot = found.filter(({ isInRoot }) => isInRoot)
  const shown = (inRoot.length > 0 ? inRoot : found).sort((one, other) => one.name.length - other.name.length)
  const [first] = isField ? [] : shown
  return { facts: shown.slice(0, 10).map(({ fact }) => fact), ...(first && { command: first.name }) }
}
