// Dependencies between packages point one way, and each package declares what it imports.
import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { builtinModules } from 'node:module'

/** Which of our packages each may import. Siblings never meet. */
const allowed = {
  schema: [],
  context: ['schema'],
  tools: ['schema'],
  session: ['schema'],
  model: ['schema'],
  agent: ['schema', 'context', 'session', 'model', 'tools'],
  cli: ['schema', 'context', 'session', 'model', 'tools', 'agent'],
}
/** These run in a browser too. */
const pure = new Set(['schema', 'context'])

export async function checkDirections(root) {
  const problems = []
  for (const [name, mayImport] of Object.entries(allowed)) {
    const folder = `${root}packages/${name}`
    const { dependencies, optionalDependencies } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
    const declared = Object.keys({ ...dependencies, ...optionalDependencies })
    for (const file of await sourceFiles(`${folder}/src`))
      for (const module of importedModules(readFileSync(file, 'utf8'))) {
        const problem = problemWith(module, { mayImport, declared, isPure: pure.has(name) })
        if (problem) problems.push(`${file.slice(root.length)}: imports ${module}, ${problem}`)
      }
  }
  for (const problem of problems) console.error(problem)
  return problems.length === 0
}

function problemWith(module, { mayImport, declared, isPure }) {
  if (module.startsWith('.')) return undefined
  const isNode = module.startsWith('node:') || builtinModules.includes(module)
  if (isNode) return isPure ? 'but this package is pure' : undefined
  const name = module.match(/^(?:@[^/]+\/)?[^/]+/)[0]
  const ours = name.match(/^@mutsumi\/(.+)$/)?.[1]
  if (ours && !mayImport.includes(ours)) return 'which points the wrong way'
  return declared.includes(name) ? undefined : 'which its package.json does not name'
}

function importedModules(text) {
  const statement =
    /(?:^|\n)\s*(?:import|export)\s[^'"`;]*?from\s*'([^']+)'|(?:^|\n)import\s*'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/g
  return [...text.matchAll(statement)].map((match) => match[1] ?? match[2] ?? match[3])
}

async function sourceFiles(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => `${entry.parentPath}/${entry.name}`)
}
