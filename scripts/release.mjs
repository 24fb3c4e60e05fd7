// npm run release -- [--dry-run] [patch | minor | major | 1.2.3]: versions, changelog, tarballs, tag, then publishing.
// npm run release -- --publish: only the last step, for a release that was tagged but could not be published.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packAll, publishAll } from './publish.mjs'
import {
  nextVersion,
  problemsOf,
  releasedChangelog,
  unreleasedChanges,
  withRepository,
  withVersion,
} from './release-plan.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const wanted = process.argv.slice(2)
const flags = wanted.filter((word) => word.startsWith('--'))
const unknown = flags.find((flag) => flag !== '--dry-run' && flag !== '--publish')
if (unknown !== undefined) stop(`unknown flag ${unknown}; there are --dry-run and --publish`)

if (flags.includes('--publish')) publish()
else release(wanted.find((word) => !word.startsWith('--')))

function release(size) {
  const plan = planOf(size)
  const problems = problemsOf(plan)
  if (flags.includes('--dry-run')) return show(plan, problems)
  if (problems.length > 0) stop(`not released:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
  write(plan)
  run('npm', 'run', 'build')
  run('npm', 'run', 'test:packed')
  run('git', 'commit', '--quiet', '--all', '--message', `chore: release ${plan.version}`)
  run('git', 'tag', `v${plan.version}`)
  publish()
}

function planOf(size) {
  const changelog = textOf('CHANGELOG.md')
  const version = nextVersion(json('packages/cli/package.json').version, changelog, size)
  return {
    version,
    changelog,
    changes: unreleasedChanges(changelog),
    repository: json('package.json').repository,
    isClean: output('git', 'status', '--porcelain') === '',
    tags: output('git', 'tag', '--list').split('\n'),
  }
}

/** Shows the plan and changes nothing. */
function show({ version, changes }, problems) {
  console.log(`version ${version}, now ${json('packages/cli/package.json').version}\n`)
  console.log(`changelog\n\n${changes}\n`)
  for (const { name, size, unpackedSize, files } of packAll()) {
    console.log(
      `${name} ${version}: ${files.length} files, ${kilobytes(size)} packed, ${kilobytes(unpackedSize)} unpacked`,
    )
    for (const file of files) console.log(`  ${kilobytes(file.size).padStart(10)}  ${file.path}`)
  }
  console.log(`\n${problems.length === 0 ? 'nothing is in the way' : 'in the way of a release'}`)
  for (const problem of problems) console.log(`  ${problem}`)
}

function write({ version, changelog, repository }) {
  const day = new Date().toISOString().slice(0, 10)
  writeFileSync(`${root}CHANGELOG.md`, releasedChangelog(changelog, version, day))
  for (const name of readdirSync(`${root}packages`)) {
    const path = `packages/${name}/package.json`
    writeJson(path, withRepository(withVersion(json(path), version), repository, `packages/${name}`))
  }
  writeJson('bench/package.json', withVersion(json('bench/package.json'), version))
  const lock = json('package-lock.json')
  for (const path of Object.keys(lock.packages))
    if (/^(?:packages\/|bench$)/.test(path) && !path.includes('node_modules'))
      lock.packages[path] = withVersion(lock.packages[path], version)
  writeJson('package-lock.json', lock)
}

function publish() {
  const folder = mkdtempSync(join(tmpdir(), 'mutsumi-release-'))
  try {
    publishAll(packAll(folder))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function run(command, ...args) {
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (status !== 0) stop(`${command} ${args.join(' ')} failed; \`git restore .\` takes new versions back`)
}

function output(command, ...args) {
  return spawnSync(command, args, { cwd: root, encoding: 'utf8' }).stdout.trim()
}

function textOf(path) {
  return readFileSync(root + path, 'utf8')
}

function json(path) {
  return JSON.parse(textOf(path))
}

function writeJson(path, value) {
  writeFileSync(root + path, `${JSON.stringify(value, null, 2)}\n`)
}

function kilobytes(bytes) {
  return `${(bytes / 1024).toFixed(1)} KiB`
}

function stop(message) {
  console.error(message)
  process.exit(1)
}
