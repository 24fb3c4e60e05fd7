import { existsSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { detectSandbox } from '@mutsumi/tools'
import { describe, expect, test } from 'vitest'
import { makeFolder, run, runJson } from '../support/command.js'
import { action, finish, scripted } from '../support/scripted.js'
import { whyNotWithout, withoutSandbox } from '../support/without-sandbox.js'

const sandbox = await detectSandbox()
const reason = whyNotWithout()
if (reason !== undefined) console.warn(`skipped: the tests of a machine without a sandbox (${reason})`)

/** A model that runs two commands and ends. */
function twoCommands() {
  return scripted([
    action('Bash', { command: 'echo 1 > one' }),
    action('Bash', { command: 'echo 2 > two' }),
    finish('done'),
  ])
}

const allow = ['--allow', 'Bash(echo:*),Write']

describe.skipIf(reason !== undefined)('on a machine without a sandbox', () => {
  test('T7 commands that the user’s rules allow run, with one note that nothing confines them', async () => {
    const { folder, flags } = twoCommands()
    const { code, stdout, stderr } = await run(folder, ['-p', 'x', ...allow, ...flags], withoutSandbox())
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'done\n' })
    expect(readFileSync(join(folder, 'two'), 'utf8')).toBe('2\n')
    const notes = stderr.split('\n').filter((line) => line.includes('[no-sandbox]'))
    expect(notes).toEqual([
      expect.stringMatching(
        /^Bash: warning: this run's commands are not confined: .*bubblewrap.*--sandbox require/,
      ),
    ])
  })

  test('T7 the rules of the user’s permissions.json count as much as the flag', async () => {
    const { folder, flags } = twoCommands()
    const rules = ['Bash(echo:*)', 'Write'].map((rule) => ({ rule, decision: 'allow', root: folder }))
    const env = { MUTSUMI_CONFIG_DIR: makeFolder({ 'permissions.json': JSON.stringify({ rules }) }) }
    const summary = await runJson(folder, ['-p', 'x', ...flags], { env, ...withoutSandbox() })
    expect(summary.warnings).toMatchObject([{ code: 'no-sandbox' }])
    expect(existsSync(join(folder, 'one'))).toBe(true)
  })

  test('T7 A8 other commands are denied if nobody can be asked, without that note', async () => {
    const { folder, flags } = twoCommands()
    const { code, stderr } = await run(folder, ['-p', 'x', ...flags], withoutSandbox())
    expect(code).toBe(3)
    expect(stderr).not.toContain('no-sandbox')
    expect(existsSync(join(folder, 'one'))).toBe(false)
  })

  test('T7 --sandbox require refuses every command and says what to install', async () => {
    const { folder, flags } = twoCommands()
    const args = ['-p', 'x', '--sandbox', 'require', ...allow, ...flags]
    const { code, stderr } = await run(folder, args, withoutSandbox())
    expect(code).toBe(3)
    expect(stderr).toMatch(/a sandbox is required.*bubblewrap.*--sandbox auto/)
    expect(existsSync(join(folder, 'one'))).toBe(false)
  })

  test('T7 if a trusted project requires a sandbox, the refusal names the project’s config, not a flag', async () => {
    const { folder, flags } = scripted([action('Bash', { command: 'echo 1 > one' }), finish('done')], {
      '.mutsumi/config.json': JSON.stringify({ sandbox: 'require' }),
    })
    const file = join(folder, '.mutsumi/config.json')
    for (const mode of ['off', 'auto']) {
      const args = ['-p', 'x', '--trust', '--sandbox', mode, ...allow, ...flags]
      const { code, stderr } = await run(folder, args, withoutSandbox())
      expect(code).toBe(3)
      expect(stderr).toContain(`the project requires a sandbox (${file}: sandbox)`)
      expect(stderr).not.toContain('--sandbox auto')
    }
    const { stdout } = await run(folder, ['doctor', '--trust'], withoutSandbox())
    expect(stdout).toContain(`change the setting sandbox to auto (set in ${file}: sandbox)`)
  })

  test('T7 doctor says what to install, and what each mode would do', async () => {
    const found = async (env: Record<string, string>) => {
      const { code, stdout } = await run(makeFolder(), ['doctor', '--json'], { env, ...withoutSandbox() })
      return { code, ...JSON.parse(stdout) }
    }
    const auto = await found({})
    expect(auto.sandbox).toMatch(/^none \(.*bubblewrap\): commands that your rules allow run unconfined/)
    expect(auto.network).toContain('commands have access')
    expect((await found({ MUTSUMI_SANDBOX: 'off' })).sandbox).toMatch(/^none \(it is switched off\): /)
    const required = await found({ MUTSUMI_SANDBOX: 'require' })
    expect(required.sandbox).toMatch(/no command runs .*--sandbox auto/)
    expect([required.code, required.problems]).toEqual([
      1,
      [expect.stringContaining('a sandbox is required')],
    ])
    const { solution } = required.checks.find(({ name }: { name: string }) => name === 'sandbox')
    expect(solution).toContain('change the setting sandbox to auto (set in MUTSUMI_SANDBOX)')
  })
})

/** Whether the command of a run was in a sandbox, and whether it had the network: by the namespaces it saw. */
async function confinementOf(project: object, user: object, args: readonly string[]) {
  const command = 'readlink /proc/self/ns/mnt /proc/self/ns/net > seen'
  const { folder, flags } = scripted([action('Bash', { command }), finish('done')], {
    '.mutsumi/config.json': JSON.stringify(project),
  })
  const env = { MUTSUMI_CONFIG_DIR: makeFolder({ 'config.json': JSON.stringify(user) }) }
  await run(folder, ['-p', 'x', '--allow', 'Bash(readlink:*),Write', ...flags, ...args], { env })
  const [mounts, network] = readFileSync(join(folder, 'seen'), 'utf8').split('\n')
  const own = (name: string) => readlinkSync(`/proc/self/ns/${name}`)
  return { sandbox: mounts !== own('mnt'), network: network === own('net') }
}

describe.skipIf(sandbox.kind !== 'bubblewrap')('on a machine with bubblewrap', () => {
  test('T7 the user’s config can turn it off, and a trusted project can turn it on again', async () => {
    const off = { sandbox: 'off' }
    expect(await confinementOf({}, off, [])).toMatchObject({ sandbox: false })
    for (const sandbox of ['auto', 'require']) {
      expect(await confinementOf({ sandbox }, off, ['--trust'])).toMatchObject({ sandbox: true })
      expect(await confinementOf({ sandbox }, off, [])).toMatchObject({ sandbox: false })
    }
  })

  test('T7 a project, trusted or not, does not loosen it', async () => {
    const project = { sandbox: 'off', network: true }
    for (const trust of [['--trust'], []])
      expect(await confinementOf(project, {}, trust)).toEqual({ sandbox: true, network: false })
  })

  test('T7 --network and the user’s config give commands the network; a trusted project may take it away', async () => {
    expect(await confinementOf({}, {}, ['--network'])).toEqual({ sandbox: true, network: true })
    expect(await confinementOf({}, { network: true }, [])).toEqual({ sandbox: true, network: true })
    const project = { network: false }
    expect(await confinementOf(project, {}, ['--network', '--trust'])).toMatchObject({ network: false })
    expect(await confinementOf(project, {}, ['--network'])).toMatchObject({ network: true })
  })
})

test('T7 for an unknown mode the error lists the known ones', async () => {
  const { folder, flags } = twoCommands()
  const wrong = await run(folder, ['-p', 'x', '--sandbox', 'sometimes', ...flags])
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('off or auto or require') })
  const variable = await run(folder, ['-p', 'x', ...flags], { env: { MUTSUMI_NETWORK: 'maybe' } })
  expect(variable).toMatchObject({ code: 2, stderr: expect.stringContaining('MUTSUMI_NETWORK') })
})
