import { readdir } from 'node:fs/promises'

/** The modules that a source file imports or exports from, as it names them. */
export function importedModules(text) {
  const statement =
    /(?:^|\n)\s*(?:import|export)\s[^'"`;]*?from\s*'([^']+)'|(?:^|\n)import\s*'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/g
  return [...text.matchAll(statement)].map((match) => match[1] ?? match[2] ?? match[3])
}

export async function sourceFiles(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => `${entry.parentPath}/${entry.name}`)
}
