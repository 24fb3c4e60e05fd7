// Packs our packages with npm, and publishes the tarballs.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { manifestOf, published } from './libraries.mjs'
import { publishOrder } from './release-plan.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Packs our packages, each after those that it needs. Writes them to `folder`, or only lists them. */
export function packAll(folder) {
  const order = publishOrder(published.map(manifestOf)).map(({ name }) => name)
  const where = folder === undefined ? ['--dry-run'] : ['--pack-destination', folder]
  const places = published.map((name) => join(root, 'packages', name))
  const packed = JSON.parse(npm(['pack', '--json', '--ignore-scripts', ...where, ...places]).stdout)
  return packed
    .map((one) => ({ ...one, tarball: folder && join(folder, one.filename) }))
    .sort((one, other) => order.indexOf(one.name) - order.indexOf(other.name))
}

/** Publishes tarballs in their order. Skips versions that are already published, so an interrupted run can continue. */
export function publishAll(packed, { env = process.env, say = console.log } = {}) {
  for (const { name, version, tarball } of packed) {
    const isThere = npm(['view', `${name}@${version}`, 'version'], { env, mayFail: true }).stdout.includes(
      version,
    )
    if (!isThere) npm(['publish', tarball, '--access', 'public'], { env })
    say(`${name} ${version} ${isThere ? 'was published before' : 'is published'}`)
  }
}

function npm(args, { env = process.env, mayFail = false } = {}) {
  const isWindows = process.platform === 'win32'
  const ended = spawnSync('npm', args, { cwd: root, env, encoding: 'utf8', shell: isWindows })
  if (ended.status !== 0 && !mayFail)
    throw new Error(`npm ${args.slice(0, 2).join(' ')} failed:\n${ended.stderr}`)
  return ended
}
