// Plain English in sources and documents: short lists of phrases that were hard to read.
import { readdir, readFile } from 'node:fs/promises'

/** Each pattern, and a hint how to write it instead. For sources and documents. */
const hardPhrases = [
  [/\b(?:is|are|was|were) told\b/, 'name who reports it: "a warning says", "the model gets an error"'],
  [/\b[Ww]hoever\b/, 'name the actor: "the caller", "the user", "another process"'],
  [/\bthat (?:is|are) none\b/, 'write "an invalid …"'],
  [/\bin the (?:place) of\b/, 'write "instead of"'],
  [/\bstands? behind\b/, 'write "comes after"'],
  [
    /(?<!\b[Tt]here )\bis no (?:JSON|text|object|number|list|session|rule|folder|file|key|command)\b/,
    'write "is not a …"',
  ],
]

/** For comments and messages in sources. A question such as "What should happen?" is fine. */
const hardInSources = [
  [/(?:\/\/|\*) (?:What|Who|Whose|Where) [^?]*$/, 'begin with a noun or a verb that names the actor'],
  [/[.;] (?:What|Who|Whose) [^?'"`]*$/, 'begin the sentence with a noun that names the actor'],
  [/(?:\/\/|\*).*\bbehind (?:it|them|the|a|an|this|that|what)\b/, 'write "after …"'],
  [/(?:\/\/|\*).*\bstands? (?:in|at|for|on|below|above|there|here)\b/, 'write "is …" or "represents"'],
  [/(?:\/\/|\*).*(?:[,;] | )(?:undefined|empty|absent|nothing|false|true) where\b/i, 'write "if"'],
  [/(?:\/\/|\*).*\bwhere (?:absent|nobody|somebody|nothing|there is|there are|it is no)\b/, 'write "if"'],
  [/\bfor (?:want) of\b/, 'write "because there is no …"'],
  [/\b(?:sent|written|made|read|drawn|built) anew\b/, 'write "again"'],
]

/** For documents. Headings and questions may begin with What and Who. */
const hardInDocuments = [
  [
    /(?:^(?:- |\d+\. )?|[.;] )(?:What|Who|Whose) [^?]*$/,
    'begin the sentence with a noun that names the actor',
  ],
  [/\bbehind (?:it|its|them|the|a|an|this|that|what)\b/, 'write "after …"'],
  [/\bstands? (?:in|at|for|on|below|above|there|here)\b/, 'write "is …" or "represents"'],
  [/(?<!\b[Tt]here )\b(?:is|are) no (?!longer\b)/, 'write "is not a …"'],
  [/\bthe model hears\b/, 'write "the model gets …"'],
  [/\b(?:shall|anew)\b/, 'write "should", "again"'],
  [/\b(?:can|cannot|may) not be told\b|\btold apart\b/, 'write "distinguished"'],
]

/** For the titles of tests. */
const hardInTitles = [
  [/^(?:[A-Z]\d+ )+(?:what|who) (?![^:]*:)/, 'begin with a noun that names the actor'],
  [/\bbehind\b/, 'write "after …" or "through …"'],
  [/\bstands?\b(?! out)/, 'write "is …"'],
  [/(?<!\bthere )\b(?:is|are) no /, 'write "is not a …"'],
  [/\btold\b/, 'write "reported", "a warning says"'],
  [/\b(?:anew|parted)\b/, 'write "again", "split"'],
  [/\bsteers? (?:the|a) terminal\b/, 'write "controls the terminal"'],
]

export async function checkWords(root) {
  const problems = []
  const { sources, documents, tests } = await checkedFiles(root)
  for (const file of sources)
    problems.push(...(await problemsIn(file, [...hardPhrases, ...hardInSources], root)))
  for (const file of documents)
    problems.push(...(await problemsIn(file, [...hardPhrases, ...hardInDocuments], root)))
  for (const file of tests)
    problems.push(...(await problemsIn(file, [...hardPhrases, ...hardInTitles], root, titleIn)))
  for (const problem of problems) console.error(problem)
  return problems.length === 0
}

async function problemsIn(file, phrases, root, checkedPart = (line) => line) {
  const lines = (await readFile(file, 'utf8')).split('\n')
  return lines.flatMap((line, index) =>
    phrases.flatMap(([pattern, advice]) => {
      const found = pattern.exec(checkedPart(line))
      return found ? [`${file.slice(root.length)}:${index + 1}: "${found[0].trim()}": ${advice}`] : []
    }),
  )
}

/** The title of a test in this line: a text that begins with the id of a contract. */
function titleIn(line) {
  return /(['"`])((?:[A-Z]\d+ )+.*?)\1/.exec(line)?.[2] ?? ''
}

/** All sources, the documents in docs/, of the packages and at the root except the changelog, and all tests. */
async function checkedFiles(root) {
  const packages = await readdir(`${root}packages`)
  const further = ['packages/cli/bin', 'packages/vscode/e2e', 'packages/vscode/scripts']
  const folders = [
    ...packages.map((name) => `packages/${name}/src`),
    ...further,
    'bench/src',
    'examples',
    'scripts',
  ]
  const sources = await Promise.all(folders.map((folder) => filesIn(`${root}${folder}`, /\.(?:ts|mjs|cjs)$/)))
  const documents = await filesIn(`${root}docs`, /^(?!api\/).*\.md$/)
  const inPackages = packages.map((name) => `${root}packages/${name}/README.md`)
  const atRoot = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md'].map((name) => root + name)
  const tests = await Promise.all(packages.map((name) => filesIn(`${root}packages/${name}/test`, /\.ts$/)))
  return { sources: sources.flat(), documents: [...documents, ...inPackages, ...atRoot], tests: tests.flat() }
}

async function filesIn(folder, wanted) {
  const paths = await readdir(folder, { recursive: true })
  return paths.filter((path) => wanted.test(path)).map((path) => `${folder}/${path}`)
}
