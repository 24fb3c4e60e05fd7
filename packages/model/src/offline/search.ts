import type { ToolCall } from '@mutsumi/schema'
import { patternOf, type Question } from './question.js'
import { lastOf, ownerOf } from './sure.js'
import type { CitedLine, ToolWork } from './tool-result.js'

/** Lines with two of the words or such a name, documents with their headings, and definitions in files of such a name. */
export function* search({ kind, terms }: Question): ToolWork<readonly CitedLine[]> {
  const forms = terms.map((term) => patternOf(term.forms))
  const any = forms.join('|')
  const pairs = forms.flatMap((one) => forms.flatMap((two) => (one === two ? [] : `(${one}).{0,40}(${two})`)))
  const called = patternOf(terms.flatMap((term) => (term.isName ? term.forms : [])))
  const owners = terms.flatMap(({ name = '' }) => ownerOf(name) ?? [])
  const names = owners.length > 0 && kind !== 'uses' ? ownedPattern(terms) : called
  const near = pairs.length > 0 && kind !== 'tests' ? `${pairs.join('|')}|${definition}\\w*(${any})` : any
  const include =
    kind === 'tests' ? '**/{*{.,_,-}{test,tests,spec}.*,test_*,{test,tests,spec,__tests__}/**}' : '**'
  const found = yield grep(names || near, include)
  const isEnough = found.length > 20 || near === any
  const code = isEnough ? [...found] : [...found, ...(yield grep(any, include))]
  // A name that is everywhere hides its definition.
  if (called && kind !== 'uses' && found.length > 900)
    code.push(...(yield grep(definitionOf(called), include)))
  const own = patternOf(terms.flatMap(({ name = [] }) => name))
  const files = `*{${[any, own, any].join('|').replace(/\\./g, '?').replaceAll('|', ',')}}*`
  // A test file may have the name, and its tests not.
  if (kind === 'tests')
    return [...code, ...(yield grep('^\\s*(it|test|describe)\\(|^\\s*(def|func|fn) test', files))]
  if (kind === 'uses') return code
  const told = yield grep(
    `^#+ |^={3,}$|^-{3,}$|${any}`,
    '{*.{md,mdx,rst,txt},package.json,Cargo.toml,pyproject.toml}',
  )
  return [...told, ...code, ...(yield grep(definition, files))]
}

const definition = '^[a-z ]*(class|interface|type|enum|struct|trait|function|fn|func|def|const) '

const definitionOf = (names: string) =>
  `\\b(class|interface|type|enum|struct|trait|function|fn|fun|func|def|const|module)\\b.{0,40}\\b(${names})\\b`

/** Definitions of these names and of their owners. Their uses may be too many to see. */
function ownedPattern(terms: Question['terms']): string {
  const own = (choose: (name: string) => string | undefined) =>
    patternOf(terms.flatMap(({ name = '' }) => choose(name) || []))
  const [owners, last] = [own(ownerOf), own(lastOf)]
  const methods = `\\b(fn|fun|func|function|def)\\b.*\\b(${last})\\b|^\\s+([a-z]+ |\\*|@.* )*(${last})\\s*[(=:]`
  return `(class|struct|impl|interface|trait|type|module)\\b.*\\b(${owners})\\b|\\b(${owners})\\b.{0,12}\\b(${last})\\b|${methods}|^(export |const |let |var |static |pub )*(${last})\\s*[(=:]`
}

export function grep(pattern: string, include: string): ToolCall {
  return { name: 'Grep', args: { pattern, include, case_sensitive: false, limit: 1000 } }
}
