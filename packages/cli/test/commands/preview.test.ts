import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSession } from '@mutsumi/session/node'
import { describe, expect, onTestFinished, test } from 'vitest'
import { makeFolder, run, runJson } from '../support/command.js'
import { answerWith, modelServer } from '../support/model-server.js'
import { playSession } from '../support/played-session.js'
import { bodyOf, chatModel, expectSameRequest, flagsFor, previewThenRun } from '../support/previews.js'
import { begin, until } from '../support/running.js'
import { finish } from '../support/scripted.js'
import { writer } from '../support/stored-session.js'

const asked = async () => ({ model: chatModel(await modelServer()) })

const read = ['Read', { path: 'src/a.ts' }] as const
const todo = ['TodoWrite', { summary: '', todos: [{ content: 'paint', status: 'in_progress' }] }] as const

/** The texts of a request's messages, in order. */
const textsOf = (messages: readonly { readonly content: unknown }[]) => messages.map(({ content }) => content)

describe('the preview is the request', () => {
  test('W4 the protocol and the Task tool are in it, and their tokens are counted', async () => {
    const { preview } = await expectSameRequest(makeFolder(), ['-p', 'hi'], await asked())
    const [system] = textsOf(preview.messages)
    expect(system).toContain('Action: ToolName[{"argument": "value"}]')
    expect(system).toMatch(/^Task: .*sub-agent/m)
    expect(preview.tokens.byLayer.L1).toBe(Math.floor(String(system).length / 3))
    expect(preview.model).toBe('openai-compatible/mm')
  })

  test('W4 with native calls it contains the tools, and the total counts them', async () => {
    const line = ['-p', 'hi', '-c', 'protocol=native', '-c', 'temperature=0.5']
    const { preview, sent } = await expectSameRequest(makeFolder(), line, await asked())
    const { tools = [], temperature } = preview.sent
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['Read', 'Bash', 'Task']))
    expect(JSON.parse(sent).tools).toHaveLength(tools.length)
    expect(temperature).toBe(0.5)
    const { total, byLayer } = preview.tokens
    expect(byLayer.tools).toBe(Math.floor(JSON.stringify(tools).length / 3))
    expect(total).toBe(Object.values(byLayer).reduce((sum, tokens) => sum + tokens, 0))
  })

  test('W4 people see the tools as a layer, and --messages also prints everything sent beside the messages', async () => {
    const flags = ['-c', 'protocol=native', '-c', 'maxOutputTokens=9']
    const { stdout } = await run(makeFolder(), ['context', 'hi', '--messages', ...flags])
    expect(stdout).toMatch(/^ {2}tools +\d[\d ]* {2}[█▉▊▋▌▍▎▏]+ +\d+ tools$/m)
    expect(stdout).toMatch(/^── sent with them ──\ntools: \[\{"name":"LS",.*\nmaxOutputTokens: 9$/m)
  })

  test.for([
    ['openai', 'gpt-5-mini', 'react'],
    ['openai', 'gpt-5-mini', 'native'],
    ['openai', 'gpt-5-mini', 'auto'],
    ['anthropic', 'claude-sonnet-4-5', 'native'],
    ['google', 'gemini-2.5-flash', 'native'],
    ['deepseek', 'deepseek-chat', 'native'],
    ['deepseek', 'deepseek-chat', 'auto'],
  ] as const)('W4 A5 it equals the request to %s/%s, by %s calls', async ([provider, name, protocol]) => {
    const model = {
      provider,
      name,
      server: await modelServer((response) => response.writeHead(400).end('{}')),
    }
    const folder = makeFolder({ 'CODE_LAW.md': 'Be kind.', 'a.ts': 'A' })
    const line = ['-p', 'see @[a.ts]', '-c', `protocol=${protocol}`]
    const env = { MUTSUMI_API_KEY: 'key' }
    const { preview, sent } = await previewThenRun(folder, line, { model, env })
    expect(sent).toBe(await bodyOf(preview, model))
    expect(preview.model).toBe(`${provider}/${name}`)
  })

  test('W4 A2 the model decides the protocol of a preview as in a run, without a key', async () => {
    const toolsFor = async (...flags: string[]) => {
      const { sent, model } = await runJson(makeFolder(), ['context', 'hi', ...flags])
      return [model, sent.tools !== undefined]
    }
    const script = join(makeFolder({ 's.json': '{"callsTools":true,"replies":[]}' }), 's.json')
    expect(await toolsFor()).toEqual(['offline', false])
    expect(await toolsFor('--model', 'gpt-5')).toEqual(['openai/gpt-5', true])
    expect(await toolsFor('--model', 'ollama/qwen3')).toEqual(['ollama/qwen3', false])
    expect(await toolsFor('--model', `scripted:${script}`)).toEqual([`scripted:${script}`, true])
  })

  test.for([
    ['macros', ['-p', 'see @[{{FILE}}]', '-D', 'FILE=src/a.ts', '-D', 'WHO=Ann']],
    ['rules in the system prompt', ['-p', 'hi', '-c', 'rules.placement=system']],
    ['mentions', ['-p', 'see @src/a.ts and @src']],
    ['a picture', ['-p', 'see ![x](shot.png)']],
    ['a call that only reads', ['-p', '@[LS{"path":"src"}] @[Grep{"pattern":"const"}]']],
    ['a user command', ['-p', '/review src/a.ts']],
    ['a skill', ['-p', '@[Skill{"name":"release"}]', '--trust']],
    ['an addition to the system prompt', ['-p', 'hi', '--append-system', 'house.md']],
    ['an output schema', ['-p', 'hi', '--output-schema', 'schema.json']],
    ['another folder', ['-p', 'see @[extra/x.md]', '-C', 'work', '--add-dir', 'extra']],
    ['denials', ['-p', '@[Read{"path":"src/a.ts"}]', '--deny', 'Read(src/**)']],
    ['how replies are made', ['-p', 'hi', '-c', 'temperature=0.2', '-c', 'reasoningEffort=low']],
    ['a session that is not kept', ['-p', 'hi', '--no-session']],
  ] as const)('W4 %s: shown as sent', async ([, line]) => {
    const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 1])
    const folder = makeFolder({
      'src/a.ts': 'export const a = 1\n',
      'shot.png': png,
      'house.md': 'House rules.',
      'schema.json': '{"type":"string"}',
      'work/b.ts': 'B',
      'extra/x.md': 'X',
      '.mutsumi/rules/style.md': 'For {{WHO}}.',
      '.mutsumi/commands/review.md': '---\nParams: [FILE]\n---\nReview {{FILE}}.',
      '.mutsumi/skills/release/SKILL.md': '---\nname: release\ndescription: Makes it\n---\nPush.',
    })
    await expectSameRequest(folder, line, await asked())
  })

  test('W4 piped input beside the prompt is in it', async () => {
    const { sent } = await expectSameRequest(makeFolder(), ['-p', 'Review'], {
      ...(await asked()),
      input: 'a diff\n',
    })
    expect(sent).toContain('a diff')
  })
})

describe('the preview of a session that continues', () => {
  const rounds = [
    { prompt: 'look at @[src/b.ts]', calls: [read, read] },
    { prompt: '#define WHO Eve\nplan', calls: [read, todo] },
    { prompt: 'more', calls: [] },
  ]
  const files = { 'src/a.ts': 'export const a = 1\n', 'src/b.ts': 'B\n', 'src/c.ts': 'C\n' }

  test('W4 A9 rounds, stale reads and the todo recap are shown as sent', async () => {
    const folder = makeFolder(files)
    const session = await playSession(folder, { rounds })
    writeFileSync(join(folder, 'src/b.ts'), 'changed\n')
    const line = ['-p', 'go on @[Read{"path":"src/a.ts"}]', '--session', session]
    const { preview } = await expectSameRequest(folder, line, await asked())
    expect(preview.messages.at(-1)).toEqual({ role: 'system', content: '[0/1] In progress: paint.' })
  })

  test('W4 G8 K6 pins, drops and compactions that are recorded are shown as sent', async () => {
    const folder = makeFolder(files)
    const session = await playSession(folder, { rounds, compacted: 1 })
    await run(folder, ['pin', 'src/c.ts', '--session', session])
    await run(folder, ['drop', 'src/b.ts', '--session', session])
    const line = ['-p', 'go on', '--session', session]
    const { preview } = await expectSameRequest(folder, line, await asked())
    expect(preview.history?.rounds).toEqual({ shown: 2, leftOut: 1 })
    expect(textsOf(preview.messages)).toContain('They talked.')
    expect(preview.items.map(({ key, pinned }) => [key, pinned === true])).toEqual([['src/c.ts', true]])
  })

  test('W4 G8 --drop and --pin show what a run sends once they are recorded', async () => {
    const folder = makeFolder(files)
    const session = await playSession(folder, { rounds })
    const { model } = await asked()
    const line = ['-p', 'go on', '--session', session, ...flagsFor(model)]
    const acts = ['--drop', 'src/b.ts', '--pin', 'src/c.ts']
    const preview = await runJson(folder, ['context', ...line, ...acts])
    await run(folder, ['drop', 'src/b.ts', '--session', session])
    await run(folder, ['pin', 'src/c.ts', '--session', session])
    await run(folder, line)
    expect(model.server.requests[0]?.body).toBe(await bodyOf(preview, model))
  })

  test('W4 N4 a replay of the request proves what the preview showed', async () => {
    const folder = makeFolder(files)
    const session = await playSession(folder, { rounds })
    const { preview } = await previewThenRun(folder, ['-p', 'go on', '--session', session], await asked())
    const replay = await runJson(folder, ['replay', session, '--round', '4', '--request', '1'])
    expect(textsOf(replay.messages)).toEqual(textsOf(preview.messages))
    expect(replay.sent).toEqual(preview.sent)
  })

  test('W4 a result stored beside the file is recalled in the preview too', async () => {
    const long = Array.from({ length: 400 }, (_, line) => `${line} ${'x'.repeat(300)}`).join('\n')
    const folder = makeFolder({ 'src/a.ts': long })
    const session = await playSession(folder, { rounds: [{ prompt: 'look', calls: [read] }] })
    const id = /"observation":"(\w{16})/.exec(readFileSync(session, 'utf8'))?.[1]
    const line = ['-p', `@[Recall{"id":"${id}","limit":3}]`, '--session', session]
    const { sent } = await expectSameRequest(folder, line, await asked())
    expect(sent).toContain('xxxxxxxxxx')
  })

  test.for(['plain.json', 'older.mtm'])(
    'W4 N5 a session of another form, %s, is shown as sent',
    async (name) => {
      const interaction = [
        { role: 'assistant', content: null },
        { role: 'user', content: 'between' },
        { role: 'stranger', content: 'who am I' },
        { role: 'assistant', content: 'fine' },
      ]
      const reminder = '\n\n<system-reminder>\nObey.\n</system-reminder>'
      const cells = [{ content: 'first @[a.ts]', metadata: { reminder, mutsumi_interaction: interaction } }]
      const folder = makeFolder({ 'a.ts': 'A', [name]: JSON.stringify({ metadata: {}, cells }) })
      await expectSameRequest(folder, ['-p', 'next', '--session', name], await asked())
    },
  )

  test('W4 N3 it needs no lock, writes nothing and changes nothing', async () => {
    const folder = makeFolder(files)
    const session = await playSession(folder, { rounds })
    const writing = await writer(session)
    const before = readFileSync(session, 'utf8')
    const names = readdirSync(join(folder, '.mutsumi/sessions'))
    const { messages } = await runJson(folder, ['context', 'go on @src/a.ts', '--session', session])
    expect(messages.at(-2).content).toContain('<system-reminder>')
    expect(readFileSync(session, 'utf8')).toBe(before)
    expect(readdirSync(join(folder, '.mutsumi/sessions'))).toEqual(names)
    expect(writing.session.cells).toHaveLength(3)
    await runJson(folder, ['context', 'new', '--session', 'new.mtm'])
    expect(existsSync(join(folder, 'new.mtm'))).toBe(false)
  })
})

describe('what a preview does not do', () => {
  test('W4 S6 calls that have effects do not run, nor does Task, and a warning says so', async () => {
    const folder = makeFolder()
    const prompt = '@[Write{"path":"made","content":"x"}] @[Task{"description":"d","prompt":"p"}]'
    const { model } = await asked()
    const flags = ['--allow', 'Write,Bash,Task', ...flagsFor(model)]
    const { messages, warnings } = await runJson(folder, ['context', prompt, ...flags])
    const reason = 'was not run: this is a preview, and the tool has side effects'
    for (const name of ['Write', 'Task']) {
      expect(messages.at(-1).content).toContain(`> ${name} ${reason}`)
      expect(warnings).toContainEqual(expect.objectContaining({ message: `${name} ${reason}` }))
    }
    expect(readdirSync(folder)).toEqual([])
    expect(model.server.requests).toEqual([])
  })

  /** A model that gives a summary where one is asked for. */
  const summarizing = () =>
    modelServer((response, { body }) =>
      answerWith(response, body.includes('and now?') ? finish('fine') : 'no template'),
    )

  const long = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      prompt: `question ${index} ${'x'.repeat(3000)}`,
      calls: [],
    }))

  test('W4 K1 a compaction that would come first is announced, and no model is asked for its summary', async () => {
    const folder = makeFolder()
    const session = await playSession(folder, { rounds: long(8) })
    const model = chatModel(await summarizing())
    const small = ['-c', 'contextWindow=9000', '-c', 'retainRounds=2', '-c', 'summary.fallback=extractive']
    const line = ['-p', 'and now?', '--session', session, ...small, ...flagsFor(model)]
    const preview = await runJson(folder, ['context', ...line])
    expect(model.server.requests).toEqual([])
    expect(preview.compaction).toMatchObject({ summary: 'unknown', after: expect.any(Number) })
    expect(preview.compaction.after).toBeLessThan(preview.compaction.before)
    const due = preview.warnings.find(({ code }: { code: string }) => code === 'compaction-due')
    expect(due.message).toMatch(/^a run would compact the history before this request, .* ask a model/)
    expect((await run(folder, ['context', ...line])).stdout).toMatch(
      /^ {2}a run would compact it first, from about/m,
    )

    await run(folder, line)
    expect(model.server.requests).toHaveLength(2)
    const { messages } = await runJson(folder, ['replay', session, '--round', '9', '--request', '1'])
    // The model's answer was refused, so that the summary of the records is there, as in the preview.
    expect(textsOf(messages)).toEqual(textsOf(preview.messages))
  })

  test('W4 K3 a compaction without a summary is carried out in the preview', async () => {
    const text = Array.from({ length: 300 }, (_, line) => `line ${line} of many`).join('\n')
    const folder = makeFolder({ 'src/a.ts': text })
    const session = await playSession(folder, { rounds: [{ prompt: 'look', calls: [read] }] })
    const line = ['-p', 'and now?', '--session', session, '-c', 'contextWindow=3600', '-c', 'compactTo=0.7']
    const { preview } = await expectSameRequest(folder, line, await asked())
    expect(preview.compaction?.summary).toBe('none')
    expect(preview.warnings.map(({ message }) => message).join()).toContain(
      'the messages are shown as they are after it',
    )
  })

  test('W4 K1 the provider’s last count decides in the preview too', async () => {
    const folder = makeFolder()
    const session = await playSession(folder, { rounds: long(3) })
    const opening = await openSession(session)
    if (opening.kind !== 'opened') throw new Error(opening.message)
    const [request] = opening.file.facts.requests.slice(-1)
    await opening.file.add({ type: 'usage', request: request?.id ?? '', input: 9700, output: 10 })
    await opening.file.close()
    const small = ['-c', 'contextWindow=12000', '-c', 'retainRounds=1']
    const line = ['-p', 'and now?', '--session', session, ...small]
    const { compaction } = await runJson(folder, ['context', ...line])
    expect(compaction).toBeDefined()
    const model = chatModel(await summarizing())
    const { stderr } = await run(folder, [...line, '-v', ...flagsFor(model)])
    expect(stderr).toContain('compact')
  })

  test('W4 K1 no compaction is announced if the provider counted less than we estimate', async () => {
    const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 1])
    const folder = makeFolder({ 'shot.png': png })
    // The scripted model counts nothing for a picture.
    const session = await playSession(folder, { rounds: [{ prompt: 'see ![shot](shot.png)', calls: [] }] })
    const line = ['-p', 'and now?', '--session', session, '-c', 'contextWindow=3000']
    const { preview, result } = await expectSameRequest(folder, line, await asked())
    expect(preview.tokens.total).toBeGreaterThan(preview.tokens.threshold)
    expect({ warnings: preview.warnings, compaction: preview.compaction }).toEqual({ warnings: [] })
    expect(result.stderr).toBe('')
  })

  test('W4 K3 a request that cannot be sent is reported as such', async () => {
    const folder = makeFolder()
    const { model } = await asked()
    const line = ['-p', 'long '.repeat(2000), '-c', 'contextWindow=1200', ...flagsFor(model)]
    const { warnings } = await runJson(folder, ['context', ...line])
    expect(warnings).toContainEqual(
      expect.objectContaining({ code: 'too-large', message: expect.stringContaining('send nothing') }),
    )
    expect((await run(folder, line)).code).toBe(1)
    expect(model.server.requests).toEqual([])
  })
})

describe('MCP servers in a preview', () => {
  const script = join(import.meta.dirname, '../../../tools/test/support/mcp-server.mjs')

  /** Servers that write down their processes. */
  function world() {
    const pids = join(makeFolder(), 'pids.txt')
    const server = (mode: string) => ({
      command: 'sh',
      args: ['-c', `echo $$ >> "$0"; exec "$1" "$2" ${mode}`, pids, process.execPath, script],
    })
    const started = () => (existsSync(pids) ? readFileSync(pids, 'utf8').trim().split('\n').map(Number) : [])
    const left = () => started().filter(isAlive)
    onTestFinished(() => {
      for (const pid of left()) process.kill(pid, 'SIGKILL')
    })
    return { server, started, left }
  }

  const config = (mcpServers: object) => JSON.stringify({ mcpServers })

  test.for(['react', 'native'])(
    'W4 T9 tools of servers are shown as sent, by %s calls, and the servers end',
    async (protocol) => {
      const { server, started, left } = world()
      const folder = makeFolder({ '.mcp.json': config({ theirs: server('bad-schema') }) })
      const env = {
        MUTSUMI_CONFIG_DIR: makeFolder({ 'config.json': config({ ours: server('normal') }) }),
        HOME: makeFolder(),
      }
      const line = ['-p', 'hi', '--trust', '-c', `protocol=${protocol}`]
      const { sent } = await expectSameRequest(folder, line, { ...(await asked()), env })
      for (const name of ['mcp__ours__echo', 'mcp__theirs__good']) expect(sent).toContain(name)
      expect(started()).toHaveLength(4)
      await expect.poll(left, { timeout: 10_000 }).toEqual([])
    },
  )

  test('W4 A8 servers of a workspace that is not trusted do not start, and a warning names them', async () => {
    const { server, started } = world()
    const folder = makeFolder({
      '.mcp.json': config({ theirs: server('normal') }),
      '.mutsumi/config.json': config({ also: server('normal') }),
    })
    const { preview } = await expectSameRequest(folder, ['-p', 'hi'], await asked())
    expect(started()).toEqual([])
    expect(preview.warnings).toEqual([
      {
        code: 'mcp-server',
        message:
          'this workspace is not trusted, so neither a run nor this preview starts its servers: also, theirs',
        source: 'MCP servers',
      },
    ])
  })

  test('W4 T9 for an unreachable server, a warning says what the preview does not know', async () => {
    const { server, left } = world()
    const env = { MUTSUMI_CONFIG_DIR: makeFolder({ 'config.json': config({ gone: server('dies') }) }) }
    const { preview } = await expectSameRequest(makeFolder(), ['-p', 'hi'], { ...(await asked()), env })
    expect(preview.warnings.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^the MCP server gone is not available: .*; a run that can reach it also sends its tools$/,
      ),
    ])
    await expect.poll(left, { timeout: 10_000 }).toEqual([])
  })

  test('W4 T9 a wrong flag starts no server, and a stopped preview leaves none running', async () => {
    const { server, started, left } = world()
    const env = { MUTSUMI_CONFIG_DIR: makeFolder({ 'config.json': config({ ours: server('normal') }) }) }
    const folder = makeFolder()
    const wrong = await run(folder, ['context', 'hi', '--output-schema', 'none.json'], { env })
    expect([wrong.code, started()]).toEqual([2, []])
    const { child, ended } = begin(folder, ['context', 'hi'], { env })
    await until(() => started().length > 0, child)
    child.kill('SIGINT')
    await ended
    await expect.poll(left, { timeout: 10_000 }).toEqual([])
  })
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
