// One type name, one meaning. A type, interface or class that a file exports has its name alone in all packages. A type
// that is local to a file may share its name with other local ones (`Options`, `Part`), but not with a name that a
// package offers its users.
import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { relative } from 'node:path'
import { sourceFiles } from './imports.mjs'

const doors = /\/src\/(?:index|node|parts)\.ts$/

export async function checkNames(root) {
  const packages = (await readdir(`${root}packages`)).sort()
  const files = (await Promise.all(packages.map((name) => sourceFiles(`${root}packages/${name}/src`)))).flat()
  const texts = new Map(files.map((file) => [relative(root, file), readFileSync(file, 'utf8')]))
  const problems = problemsIn(texts)
  for (const problem of problems) console.error(problem)
  return problems.length === 0
}

function problemsIn(texts) {
  const offered = new Set([...texts].filter(([file]) => doors.test(`/${file}`)).flatMap(offeredNames))
  const homes = new Map()
  for (const declared of [...texts].flatMap(declaredTypes))
    homes.set(declared.name, [...(homes.get(declared.name) ?? []), declared])
  return [...homes].flatMap(([name, places]) => {
    const clashing = places.length > 1 && isClash(places, offered.has(name))
    return clashing
      ? [`the type name ${name} has ${places.length} meanings:${places.map(line).join('')}`]
      : []
  })
}

function isClash(places, isOffered) {
  const exported = places.filter(({ isExported }) => isExported).length
  return exported > 1 || (exported === 1 && isOffered)
}

function line({ file, at, isExported }) {
  return `\n  ${file}:${at}${isExported ? '' : ' (local)'}`
}

function declaredTypes([file, text]) {
  const statement = /^(export )?(?:declare )?(?:abstract )?(?:interface|type|class|enum) (\w+)/gm
  return [...text.matchAll(statement)].map((found) => ({
    name: found[2],
    file,
    at: text.slice(0, found.index).split('\n').length,
    isExported: found[1] !== undefined,
  }))
}

/** The names that an entry point of a package exports. */
function offeredNames([, text]) {
  const lists = [...text.matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(([, names]) => names.split(','))
  return lists
    .map((name) =>
      name
        .replace(/^.* as /s, '')
        .replace(/\btype /, '')
        .trim(),
    )
    .filter(Boolean)
}
