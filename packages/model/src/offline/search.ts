import type { Question, Term } from './question.js'
import { holds, isDocument } from './rank.js'
import type { Call, CitedLine, Result, ToolWork } from './tool-result.js'

/** Lines of documents and of code that may answer the question; else files by their names. */
export function* findEvidence(question: Question): ToolWork<CitedLine[]> {
  const isTold = question.kind === 'what'
  const documents = isTold ? yield inDocuments(question.terms) : undefined
  const code = yield* findMentions(question)
  const forms = question.terms.flatMap((term) => term.forms.filter((form) => /^[\w.-]{3,40}$/.test(form)))
  const isEnough = forms.length === 0 || (isTold && code.lines.length > 0)
  const names = isEnough
    ? undefined
    : yield { name: 'Glob', args: { pattern: `**/*${oneOf(forms)}*`, limit: 100 } }
  const others = documents ? code.lines.filter(({ file }) => !isDocument(file)) : code.lines
  return [...(documents?.lines ?? []), ...others, ...(names?.lines ?? [])]
}

/** Braces around a single word are part of the name. */
function oneOf(words: readonly string[]): string {
  return words.length === 1 ? words.join() : `{${words.join(',')}}`
}

/** Headings come along, to say what the lines below them are about. */
export function inDocuments(terms: readonly Term[]): Call {
  return grep(`^#+ |${patternOf(terms)}`, '*.{md,mdx,rst,txt}')
}

/** Lines that hold a name, or two of the question's words near each other; else lines that hold any of them. */
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
  // The search ended at its limit and has not seen every file: definitions are few.
  const defined = yield grep(
    `\\b(class|interface|type|enum|struct|trait|function|fn|func|def|const)\\s+\\w*(${any})`,
    include,
  )
  return { ...found, lines: [...found.lines, ...defined.lines] }
}

export function grep(pattern: string, include?: string): Call {
  return { name: 'Grep', args: { pattern, ...(include && { include }), case_sensitive: false, limit: 1000 } }
}

function patternOf(terms: readonly Term[]): string {
  const forms = new Set(terms.flatMap((term) => term.forms))
  return [...forms].map((form) => form.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|')
}
