import type { Phrases } from './phrases.js'
import type { Question } from './question.js'
import { clip, passageAt, placeName, quote } from './quote.js'
import type { CitedLine, ToolWork } from './tool-result.js'

/** Tasks of every project: how its files name them, and the programs that do them. */
const tasks: readonly { readonly asks: RegExp; readonly name: string; readonly programs: string }[] = [
  {
    asks: /\btests?\b|测试/i,
    name: 'tests?|spec',
    programs:
      'make check|pytest|tox|nox|go test|cargo (nex)?test|rspec|rake (test|spec)|phpunit|mix test|ctest|node --test|deno test|bun test|jest|mocha|vitest|ava|(mvn|gradlew?|dotnet|sbt|swift|zig build|bazel) [^|]*test',
  },
  {
    asks: /\bbuild|\bcompile|构建/i,
    name: 'build|compile',
    programs:
      'cargo build|go build|python3? -m build|cmake|meson|tsc|(mvn|gradlew?|dotnet|swift|zig|bazel) [^|]*(build|package)',
  },
  {
    asks: /\blint|\bformat/i,
    name: 'lint|format|fmt|style',
    programs:
      'eslint|biome|prettier|standard|ruff|flake8|black|pre-commit run|golangci-lint|gofmt|cargo (clippy|fmt)|rubocop',
  },
]
const words = /^(?:test|build|compil|lint|format|run|suit|unit|local|all|execut|start|codebas|sourc|integr)/

/** The task that a question asks how to do, if it says nothing else. */
function taskOf({ text, kind, terms }: Question) {
  const isPlain = kind === 'how' && terms.every(({ forms: [form = ''] }) => words.test(form))
  return isPlain ? tasks.find(({ asks }) => asks.test(text)) : undefined
}

/** A chapter "Testing" may tell how the project's users test. */
export const isTask = (question: Question) => taskOf(question) !== undefined

/** The commands of a project's own files for a task that every project has. Undefined if that is not the question. */
export function* lookUpCommand(question: Question, say: Phrases): ToolWork<string[] | undefined> {
  const task = taskOf(question)
  if (!task) return undefined
  const runners =
    '(npm|yarn|pnpm|bun|make|just|task|composer|poetry|uv|hatch|mage|invoke|inv) (run )?(-[^ ]+ )?'
  const pattern = `(${runners}(${task.name})\\b|\\b(${task.programs})\\b)|^\\s*"(${task.name})"\\s*:|^(${task.name})\\s*:|^\\s*task:? *:?["']?(${task.name})\\b`
  const found: CitedLine[] = []
  for (const [path, include] of places)
    found.push(...(yield { name: 'Grep', args: { pattern, path, include, limit: 200 } }))
  const [best, ...more] = found
    .map((line) => ({ line, rank: rankOf(line, task.name) }))
    .sort((one, other) => one.rank - other.rank)
  if (!best) return undefined
  const start = Math.max(best.line.line - 10, 1)
  const around = yield { name: 'Read', args: { path: best.line.file, start_line: start, limit: 30 } }
  const at = around.findIndex(({ line }) => line === best.line.line)
  const seen = new Set([best.line.file])
  const others = more.filter(({ line, rank }) => rank < 50 && !seen.has(line.file) && seen.add(line.file))
  const list = others.slice(0, 5).map(({ line }) => `- ${placeName(line)} ${clip(line.text.trim(), 100)}`)
  return [
    best.rank < 30 ? say.likely(placeName(best.line)) : say.unsure(placeName(best.line)),
    quote(at === -1 ? [best.line] : passageAt(around, at)),
    ...(list.length > 0 ? [[say.more(others.length), ...list].join('\n')] : []),
  ]
}

const files =
  'Makefile,makefile,GNUmakefile,justfile,Justfile,Taskfile.yml,package.json,composer.json,pyproject.toml,tox.ini,noxfile.py,Rakefile'
const places = [
  ['.', `/{${files}}`],
  [
    '.',
    '{README,Readme,readme,CONTRIBUTING,Contributing,contributing,HACKING,DEVELOPMENT,development,BUILDING}*',
  ],
  ['.github', '*.{yml,yaml,md}'],
] as const

/** Commands that are written for people first, then those of tools; prose and automation are a guess. */
const sources: readonly (readonly [file: RegExp, rank: number])[] = [
  [/(?:^|\/)(?:contributing|hacking|development|building)[^/]*$/i, 0],
  [/^readme[^/]*$/i, 10],
  [/^(?:package|composer)\.json$/, 15],
  [/^(?:gnu)?makefile$|^justfile$|^taskfile|^rakefile/i, 16],
  [/^(?:tox\.ini|noxfile\.py|pyproject\.toml)$/, 20],
  [/^\.github\/workflows/, 40],
]

function rankOf({ file, text }: CitedLine, name: string): number {
  const [, rank = 50] = sources.find(([name]) => name.test(file)) ?? []
  const isCommand =
    /^\s*(?:[$>] |"[\w:-]+"\s*:|[\w-]+:|run:|- run:|`|\w+ (?:run |-|\.\/)?[\w.:/-]*\s*(?:#.*)?$)/.test(
      text,
    ) || rank >= 15
  // One benchmark or one kind of test is not how to run them.
  const isSpecial = /\b(?:bench\w*|stress|fuzz|random|mutation)\b|--example|-run[ =]/i.test(text)
  const isSettings =
    /^\s*(?:\[|#|"?[\w-]+"?\s*=|"[@\w/-]+"\s*:\s*"[\s^~>=v]*\d)|^\s*"[\w.@/-]+[<>=~ \d.]*",?\s*$/.test(text)
  // `"test": …` before scripts that only call it.
  const isNamed = new RegExp(`^\\s*"?(?:${name})"?\\s*:`).test(text)
  return rank + (isCommand ? 0 : 5) + (isSettings || isSpecial ? 35 : 0) - (isNamed ? 3 : 0)
}
