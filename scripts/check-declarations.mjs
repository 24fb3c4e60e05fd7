// A provider's SDK changes often. One file adapts it, and our packages declare none of its types. So a new version of the
// SDK can break that file and nothing else.
import { existsSync, readFileSync } from 'node:fs'
import { sourceFiles } from './imports.mjs'

const adapter = 'providers/sdk-model.ts'

/** Needs the declarations that `tsc -b` writes. Declarations of deleted files may still exist, and are ignored. */
export async function checkDeclarations(root) {
  const source = `${root}packages/model/src`
  const problems = []
  for (const file of await sourceFiles(source)) {
    const name = file.slice(source.length + 1)
    if (name !== adapter && namesSdk(file)) problems.push(`${name}: imports the SDK, as only ${adapter} may`)
    const declarations = `${root}packages/model/dist/${name.replace(/\.ts$/, '.d.ts')}`
    if (namesSdk(declarations)) problems.push(`${name}: exports a type of the SDK`)
  }
  for (const problem of problems) console.error(`packages/model/src/${problem}`)
  return problems.length === 0
}

function namesSdk(path) {
  return existsSync(path) && /['"]@ai-sdk\//.test(readFileSync(path, 'utf8'))
}
