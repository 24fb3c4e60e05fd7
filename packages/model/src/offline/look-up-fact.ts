import { blockAt } from './block.js'
import type { Phrases } from './phrases.js'
import type { Question } from './question.js'
import { clip, placeName, quote } from './quote.js'
import { isPart } from './syntax.js'
import type { CitedLine, ToolWork } from './tool-result.js'
import { isOnly, manifests, ownName, type Topic, topicOf } from './topics.js'

/** Answers from the manifest in the root. Undefined if the question is not about it, or if it does not say. */
export function* lookUpFact(question: Question, say: Phrases): ToolWork<string[] | undefined> {
  const topic = topicOf(question)
  if (!topic) return undefined
  const root = yield { name: 'LS', args: { path: '.', limit: 200 } }
  const names = manifests.flatMap((manifest) => root.filter(({ file }) => manifest.test(file)))
  const lines: CitedLine[] = []
  for (const { file } of names.slice(0, 3)) lines.push(...(yield read(file, 500)))
  if (!isOnly(topic, question.terms, ownName(lines))) return undefined
  const fields = lines.filter(({ text }) => topic.field.test(text))
  // `version.workspace = true` only says where it is.
  const isElsewhere = ({ text }: CitedLine) => /\bworkspace\s*=\s*true/.test(text)
  const places = [...fields.filter((line) => !isElsewhere(line)), ...fields.filter(isElsewhere)]
  if (places.length === 0 && topic.name === 'entry') return yield* lookUpEntry(say)
  const others = yield* besides(topic, root, places.length > 0)
  const [best, ...more] = [...places, ...others]
  if (!best)
    return names[0] && (topic.name === 'dependencies' || topic.name === 'runtime')
      ? noField(names[0].file, lines, { say, topic })
      : undefined
  const all = [...lines, ...others]
  const shown = blockAt(all, all.indexOf(best))
  const list = more.slice(0, 8).map((line) => `- ${placeName(line)} ${clip(line.text.trim(), 100)}`)
  return [
    say.likely(placeName(best)),
    quote(shown),
    ...(list.length > 0 ? [[say.more(more.length), ...list].join('\n')] : []),
  ]
}

/** The manifest's own fields instead of a guess. */
function noField(
  manifest: string,
  lines: readonly CitedLine[],
  { say, topic }: { readonly say: Phrases; readonly topic: Topic },
): string[] {
  const fields = lines.filter((line) => line.file === manifest && isPart(line)).slice(0, 12)
  const list = fields.map((line) => `- ${placeName(line)} ${clip(line.text.trim(), 100)}`)
  // Other manifests may have them elsewhere: `dynamic = ["dependencies"]`.
  const isNone = topic.name === 'dependencies' && manifest === 'package.json'
  const lead = isNone ? say.noDependencies : say.noField
  return [[lead(`\`${manifest}\``), ...list].join('\n')]
}

/** Files beside the manifest that answer too: the license itself, the targets of a Makefile, a version in the code. */
function* besides(
  topic: Topic,
  root: readonly CitedLine[],
  isFound: boolean,
): ToolWork<readonly CitedLine[]> {
  const named = (name: RegExp) => root.filter(({ file }) => name.test(file)).slice(0, 2)
  const lines: CitedLine[] = []
  if (topic.name === 'license') {
    for (const { file } of named(/^(?:licen[cs]e|copying)/i))
      lines.push(...(yield read(file, 10)).filter(({ text }) => text.trim() !== '').slice(0, isFound ? 1 : 4))
  } else if (topic.name === 'maintainers') {
    for (const { file } of named(/^(?:maintainers|codeowners)/i))
      lines.push(...(yield read(file, 30)).filter(({ text }) => /^\W*\w.*[@<(]/.test(text)))
  } else if (topic.name === 'scripts') {
    for (const { file } of named(/^(?:makefile|justfile)$/i))
      lines.push(...(yield read(file, 500)).filter(({ text }) => topic.field.test(text)))
  } else if (!isFound && topic.name === 'version') {
    const found = yield { name: 'Grep', args: { pattern: versionLine, case_sensitive: false, limit: 20 } }
    lines.push(
      ...found
        .filter(({ file }) => !/test|example|docs?\/|\.(?:toml|json|lock|md|rst|txt)$/i.test(file))
        .slice(0, 2),
    )
  }
  return lines
}

const versionLine = '^\\s*([a-z]+ )*(__version__|version)( string)?\\s*:?=\\s*["\'`]v?\\d+\\.\\d'

const read = (path: string, limit: number) => ({ name: 'Read', args: { path, limit } })

/** A file with a usual name. That it is the one is a guess. */
function* lookUpEntry(say: Phrases): ToolWork<string[] | undefined> {
  const pattern = '**/{main,index,__main__,lib,cli,app}.{go,rs,py,js,mjs,cjs,ts,rb,php,c,cpp,java}'
  const found = yield { name: 'Glob', args: { pattern, limit: 200 } }
  const files = found.filter(
    ({ file }) => !/(?:^|\/)(?:tests?|examples?|docs?|bench\w*|vendor)\//i.test(file),
  )
  const [best, ...more] = files.sort((one, other) => one.file.length - other.file.length)
  if (!best) return undefined
  const start = yield read(best.file, 12)
  const list = more.slice(0, 6).map((line) => `- ${placeName(line)}`)
  const lead = say.unsure(placeName(best))
  return [lead, quote(start), ...(list.length > 0 ? [[say.more(more.length), ...list].join('\n')] : [])]
}
