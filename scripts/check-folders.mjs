// Inside a package, imports between folders go one way too: if `history` imports from `text`, nothing in `text` may lead
// back to `history`. Files beside the folders count as one more folder. The entry points (`index.ts` and others) are not
// checked, because they import from every folder.
import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, relative, resolve } from 'node:path'
import { importedModules, sourceFiles } from './imports.mjs'

const hall = '(hall)'
const doors = /^(?:index|node|parts|main)\.ts$/

export async function checkFolders(root) {
  const packages = (await readdir(`${root}packages`)).sort()
  const problems = (
    await Promise.all(packages.map((name) => problemsIn(`${root}packages/${name}/src`)))
  ).flat()
  for (const problem of problems) console.error(problem)
  return problems.length === 0
}

async function problemsIn(source) {
  const steps = await stepsBetweenFolders(source)
  const knots = knotsOf(steps)
  return steps
    .filter(({ from, to }) => from !== to && knots.get(from) === knots.get(to))
    .map(({ file, module, from, to }) => {
      const way = `${from} → ${to}, and ${to} leads back to ${from}`
      return `${relative(process.cwd(), `${source}/${file}`)}: imports ${module} (${way})`
    })
}

/** Every import that leads from one folder to another. */
async function stepsBetweenFolders(source) {
  const files = await sourceFiles(source)
  const rooms = files.filter((file) => !doors.test(relative(source, file)))
  return rooms.flatMap((file) => {
    const from = folderOf(file, source)
    return importedModules(readFileSync(file, 'utf8'))
      .filter((module) => module.startsWith('.'))
      .map((module) => ({ module, from, to: folderOf(resolve(dirname(file), module), source) }))
      .filter(({ to }) => to !== from)
      .map((step) => ({ ...step, file: relative(source, file) }))
  })
}

function folderOf(file, source) {
  return relative(source, dirname(file)) || hall
}

/** The cycle that each folder belongs to. Folders that can reach each other share one (Tarjan). */
function knotsOf(steps) {
  const next = new Map()
  for (const { from, to } of steps) next.set(from, (next.get(from) ?? new Set()).add(to))
  const order = new Map()
  const lowest = new Map()
  const knots = new Map()
  const open = []
  const visit = (folder) => {
    order.set(folder, order.size)
    lowest.set(folder, order.get(folder))
    open.push(folder)
    for (const other of next.get(folder) ?? []) {
      if (!order.has(other)) visit(other)
      if (!knots.has(other)) lowest.set(folder, Math.min(lowest.get(folder), lowest.get(other)))
    }
    if (lowest.get(folder) !== order.get(folder)) return
    for (const member of open.splice(open.indexOf(folder))) knots.set(member, folder)
  }
  for (const folder of next.keys()) if (!order.has(folder)) visit(folder)
  return knots
}
