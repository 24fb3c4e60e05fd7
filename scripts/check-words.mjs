// Plain English in sources and documents: a short list of phrases that were hard to read.
import { readdir, readFile } from 'node:fs/promises'
import { sourceFiles } from './imports.mjs'

/** Each pattern, and what to write instead. */
const hardPhrases = [
  [/\b(?:is|are|was|were) told\b/, 'name who reports it: "a warning says", "the model gets an error"'],
  [/\b[Ww]hoever\b/, 'name the actor: "the caller", "the user", "another process"'],
  [/\bthat (?:is|are) none\b/, 'write "an invalid …"'],
  [/\bin the place of\b/, 'write "instead of"'],
  [/\bstands? behind\b/, 'write "comes after"'],
  [/(?<!\b[Tt]here )\bis no (?:JSON|text|object|number|list|session|rule)\b/, 'write "is not a …"'],
]

export async function checkWords(root) {
  const problems = []
  for (const file of await checkedFiles(root)) {
    const lines = (await readFile(file, 'utf8')).split('\n')
    for (const [index, line] of lines.entries())
      for (const [pattern, advice] of hardPhrases) {
        const found = pattern.exec(line)
        if (found) problems.push(`${file.slice(root.length)}:${index + 1}: "${found[0]}": ${advice}`)
      }
  }
  for (const problem of problems) console.error(problem)
  return problems.length === 0
}

/** The sources of all packages, and the documents in docs/ and at the root except the changelog. */
async function checkedFiles(root) {
  const packages = await readdir(`${root}packages`)
  const sources = await Promise.all(packages.map((name) => sourceFiles(`${root}packages/${name}/src`)))
  const documents = (await readdir(`${root}docs`, { recursive: true }))
    .filter((path) => path.endsWith('.md') && !path.startsWith('api/'))
    .map((path) => `${root}docs/${path}`)
  const atRoot = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md'].map((name) => root + name)
  return [...sources.flat(), ...documents, ...atRoot]
}
