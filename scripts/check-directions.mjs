// Dependencies between packages point one way, and each package declares what it imports.
import { readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { importedModules, sourceFiles } from './imports.mjs'

/** The packages of ours that each package may import. Packages on the same level never import each other. */
const allowed = {
  schema: [],
  'react-text': ['schema'],
  context: ['schema', 'react-text'],
  tools: ['schema'],
  session: ['schema'],
  model: ['schema', 'react-text'],
  agent: ['schema', 'react-text', 'context', 'session', 'model', 'tools'],
  host: ['schema', 'context', 'session', 'model', 'tools', 'agent'],
  cli: ['schema', 'react-text', 'context', 'session', 'model', 'tools', 'agent', 'host'],
  vscode: ['schema', 'react-text', 'context', 'session', 'model', 'tools', 'agent', 'host'],
}
/** These run in a browser too. */
const pure = new Set(['schema', 'react-text', 'context'])

export async function checkDirections(root) {
  const problems = []
  for (const [name, mayImport] of Object.entries(allowed)) {
    const folder = `${root}packages/${name}`
    const { dependencies, optionalDependencies, devDependencies } = JSON.parse(
      readFileSync(`${folder}/package.json`, 'utf8'),
    )
    // Packed files may import less. test/packed-files.test.ts checks that.
    const declared = Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies })
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
  // The editor provides it.
  if (module === 'vscode' || module === 'vscode-notebook-renderer') return undefined
  const isNode = module.startsWith('node:') || builtinModules.includes(module)
  if (isNode) return isPure ? 'but this package is pure' : undefined
  const name = module.match(/^(?:@[^/]+\/)?[^/]+/)[0]
  const ours = name.match(/^@mutsumi\/(.+)$/)?.[1]
  if (ours && !mayImport.includes(ours)) return 'which points the wrong way'
  return declared.includes(name) ? undefined : 'which its package.json does not name'
}
