import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { mutsumi, nobody } from '../support/command.js'
import { run } from '../support/command-here.js'
import { action, finish, scripted } from '../support/scripted.js'

const hook = fileURLToPath(new URL('../support/kill-at.cjs', import.meta.url))
const isLong = process.env.MUTSUMI_LONG === '1'
/** How many moments of each kind `npm test` tries. */
const usual = 7

/** A workspace, its session, and the folder of the user's state. */
interface Place {
  readonly folder: string
  readonly state: string
}

const session = ['--session', './talk.mtm']

/** A round that created, changed and deleted files, in new folders too, changed a mode, and wrote what is no text. */
async function changedPlace(): Promise<Place> {
  const command = [
    'rm deleted.txt',
    'chmod 755 mode.sh',
    "printf '\\377\\000new' > binary.dat",
    'mkdir -p made/by/command && echo made > made/by/command/file.txt',
  ].join(' && ')
  const { folder, flags } = scripted(
    [
      action('Read', { path: 'changed.txt' }),
      action('Edit', { path: 'changed.txt', old_string: 'one', new_string: 'two' }),
      action('Write', { path: 'new/deep/created.txt', content: 'created\n' }),
      action('Bash', { command }),
      finish('done'),
    ],
    { 'changed.txt': 'one\n', 'deleted.txt': 'deleted\n', 'mode.sh': 'echo\n' },
  )
  writeFileSync(join(folder, 'binary.dat'), Buffer.from([0xff, 0, 1, 2]))
  chmodSync(join(folder, 'mode.sh'), 0o644)
  const state = mkdtempSync(join(tmpdir(), 'mutsumi-state-'))
  onTestFinished(() => rmSync(state, { recursive: true, force: true }))
  const asked = ['-p', 'Change', ...session, '--allow', 'Edit,Write,Bash', '--sandbox', 'off']
  const env = { MUTSUMI_STATE_DIR: state }
  expect(await run(folder, [...asked, ...flags], { env })).toMatchObject({ code: 0 })
  return { folder, state }
}

/** The same at another place, so that it can be tried again. */
function copyOf({ folder, state }: Place): Place {
  const copy = mkdtempSync(join(tmpdir(), 'mutsumi-killed-'))
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }))
  const [folderCopy, stateCopy] = [join(copy, 'work'), join(copy, 'state')]
  cpSync(folder, folderCopy, { recursive: true, preserveTimestamps: true })
  cpSync(state, stateCopy, { recursive: true })
  return { folder: folderCopy, state: stateCopy }
}

/** Every file and folder of the workspace, with modes and bytes. */
function treeOf({ folder }: Place): readonly string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return names
    .filter((name) => !/^(?:\.mutsumi(?:\/|$)|talk\.mtm|script\.jsonl)/.test(name))
    .map((name) => {
      const stat = statSync(join(folder, name))
      const content = stat.isFile() ? readFileSync(join(folder, name)).toString('hex') : ''
      return `${name} ${(stat.mode & 0o777).toString(8)} ${content}`
    })
    .sort()
}

/** The real command in a process of its own, killed at a step. 0: it is not killed, and says how many steps it takes. */
function runKilled({ folder, state }: Place, args: readonly string[], at: number) {
  const env = { ...nobody, MUTSUMI_STATE_DIR: state, KILL_AT: String(at) }
  return spawnSync(process.execPath, ['-r', hook, mutsumi, ...args], { cwd: folder, env, encoding: 'utf8' })
}

const here = ({ folder, state }: Place, ...args: string[]) =>
  run(folder, [...args, ...session], { env: { MUTSUMI_STATE_DIR: state } })

async function moved(place: Place, ...args: string[]): Promise<readonly string[]> {
  const { code, stderr } = await here(place, ...args, '--yes')
  expect([code, stderr]).toEqual([0, ''])
  return treeOf(place)
}

/** Kills a command at its steps; returns how often it left some files old and others new. */
async function killEverywhere(
  start: Place,
  {
    command,
    before,
    after,
  }: Record<'command', readonly string[]> & Record<'before' | 'after', readonly string[]>,
): Promise<number> {
  const args = [...command, ...session, '--yes']
  const whole = copyOf(start)
  const counted = runKilled(whole, args, 0)
  expect(treeOf(whole)).toEqual(after)
  const steps = Number(/steps: (\d+)/.exec(counted.stderr)?.[1])
  expect(steps).toBeGreaterThan(20)
  const every = isLong ? 1 : Math.ceil(steps / usual)
  let mixed = 0
  let kills = 0
  for (let at = isLong ? 1 : Math.ceil(every / 2); at <= steps; at += every) {
    const place = copyOf(start)
    const killed = runKilled(place, args, at)
    // The last step may not come, because how often a lock is written varies.
    if (killed.signal === 'SIGKILL') kills++
    else expect([at, killed.stderr, treeOf(place)]).toEqual([at, '', after])
    const left = treeOf(place).join('\n')
    const isMixed = left !== before.join('\n') && left !== after.join('\n')
    if (isMixed) mixed++
    await expectWhole(place, { at, isMixed, isUndo: command[0] === 'undo', before, after })
  }
  expect(kills).toBeGreaterThan(Math.floor(steps / every) - 3)
  return mixed
}

interface Killed {
  readonly at: number
  readonly isMixed: boolean
  readonly isUndo: boolean
  readonly before: readonly string[]
  readonly after: readonly string[]
}

/** The next opening makes it whole and says so; then undo and redo give the exact states. */
async function expectWhole(place: Place, { at, isMixed, isUndo, before, after }: Killed): Promise<void> {
  // Without --yes it only opens the session. Finishing is loaded on demand, so the bundle itself must have it.
  const { stderr } = runKilled(place, ['undo', ...session], 0)
  const isTold = stderr.includes(`${isUndo ? 'an undo' : 'a redo'} was interrupted and is finished now: `)
  const tree = treeOf(place)
  if (isMixed) {
    expect([at, tree, isTold]).toEqual([at, after, true])
    for (const name of ['binary.dat', 'changed.txt', 'deleted.txt', 'mode.sh', 'made/by', 'new/deep'])
      expect([at, stderr]).toEqual([at, expect.stringContaining(name)])
  } else expect([at, tree]).toEqual([at, isTold ? after : tree])
  const isDone = stderr.includes('it has no rounds') === isUndo
  expect([at, tree]).toEqual([at, isDone ? after : before])
  const [old, changed] = isUndo ? [after, before] : [before, after]
  if (stderr.includes('it has no rounds')) expect([at, await moved(place, 'redo')]).toEqual([at, changed])
  expect([at, await moved(place, 'undo')]).toEqual([at, old])
  expect([at, await moved(place, 'redo')]).toEqual([at, changed])
  expect([at, await moved(place, 'undo')]).toEqual([at, old])
}

test('Z8 an undo that is killed at any step is finished at the next opening, and said', async () => {
  const start = await changedPlace()
  const changed = treeOf(start)
  const undone = copyOf(start)
  const original = await moved(undone, 'undo')
  expect(original.map((line) => line.split(' ')[0])).toEqual([
    ...['binary.dat', 'changed.txt', 'deleted.txt', 'mode.sh'],
  ])
  const command = ['undo']
  expect(await killEverywhere(start, { command, before: changed, after: original })).toBeGreaterThan(0)
}, 600_000)

test('Z8 a redo that is killed at any step is finished at the next opening, and said', async () => {
  const start = await changedPlace()
  const changed = treeOf(start)
  const original = await moved(start, 'undo')
  const command = ['redo']
  expect(await killEverywhere(start, { command, before: original, after: changed })).toBeGreaterThan(0)
}, 600_000)
