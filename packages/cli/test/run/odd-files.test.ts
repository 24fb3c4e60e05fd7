import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join, relative } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type CommandResult, makeFolder, run } from '../support/command.js'
import { finish } from '../support/scripted.js'

/** A file of another kind than the one that is expected, under the name of one. */
const kinds = {
  'a pipe': (path: string) => void execFileSync('mkfifo', [path]),
  'a socket': (path: string) => listen(path),
  'a folder': (path: string) => void mkdirSync(path),
  'a link to an endless device': (path: string) => symlinkSync('/dev/zero', path),
  'a link to a pipe': (path: string) => {
    execFileSync('mkfifo', [`${path}.pipe`])
    symlinkSync(`${path}.pipe`, path)
  },
  'ten gigabytes': (path: string) => {
    writeFileSync(path, '')
    truncateSync(path, 10 * 1024 ** 3)
  },
} as const

type Kind = keyof typeof kinds

/** A name of a socket has room for a hundred bytes, so it is made by a short one. */
function listen(path: string): Promise<void> {
  const server = createServer()
  onTestFinished(() => void server.close())
  const short = relative(process.cwd(), path)
  return new Promise((resolve) => server.listen(path.length < 100 ? path : short, resolve))
}

interface Place {
  /** Below the folder of the test: the workspace is `ws`, the user's folder for settings is `config`. */
  readonly file: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** A kind that this place reads to its end, slowly and in little memory. */
  readonly not?: readonly Kind[]
}

const ask = ['-p', 'hi', '--json', '--timeout', '60']
const trusted = [...ask, '--trust']

/** Every place at which a run opens a file that a user, a project or a command may have made. */
const places: readonly Place[] = [
  { file: 'config/config.json', args: ask },
  { file: 'config/permissions.json', args: [...ask, '--allow', 'Edit'] },
  { file: 'config/trusted.json', args: ask },
  { file: 'config/trusted.json.lock', args: ['trust', '--json'] },
  { file: 'config/skills/a/SKILL.md', args: ask },
  { file: 'ws/.mutsumi/config.json', args: trusted },
  { file: 'ws/.mutsumi/rules/a.md', args: trusted },
  { file: 'ws/.mutsumi/skills/a/SKILL.md', args: trusted },
  { file: 'ws/.mcp.json', args: trusted },
  { file: 'ws/AGENTS.md', args: trusted },
  { file: 'ws/CODE_LAW.md', args: trusted },
  { file: 'ws/.gitignore', args: ask },
  { file: 'ws/.git/HEAD', args: ask },
  { file: 'ws/odd', args: ['-p', 'see @[odd]', '--json', '--timeout', '60'] },
  { file: 'ws/odd', args: [...ask, '--append-system', 'odd'] },
  { file: 'ws/odd', args: [...ask, '--output-schema', 'odd'] },
  { file: 'ws/odd.json', args: ['-p', 'hi', '--json', '--timeout', '60', '--model', 'scripted:odd.json'] },
  { file: 'ws/odd.json', args: ['context', '--session', 'odd.json', '--json'] },
  { file: 'ws/odd.mtm', args: [...ask, '--session', './odd.mtm'] },
  { file: 'ws/odd.mtm.lock', args: [...ask, '--session', './odd.mtm'] },
  { file: 'ws/odd.mtm.index', args: [...ask, '--session', './odd.mtm'] },
  { file: 'ws/odd.mtm.d', args: [...ask, '--session', './odd.mtm'] },
  { file: 'ws/.mutsumi/sessions/odd.mtm', args: [...ask, '--continue'] },
  { file: 'ws/.mutsumi/sessions/odd.mtm', args: ['sessions', '--json'] },
  { file: 'ws/.mutsumi/sessions/odd.mtm', args: ['sessions', 'search', 'x'], not: ['ten gigabytes'] },
  { file: 'ws/odd.md', args: ['render', 'odd.md', '--json'] },
  {
    file: 'ws/odd.pem',
    args: ask,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_EXPORTER_OTLP_CERTIFICATE: 'odd.pem' },
  },
]

/** Far above what a run needs, and far below what an endless file would take. */
const mostMegabytes = 600

async function runWith(
  { file, args, env = {} }: Place,
  kind: Kind,
): Promise<CommandResult & { rss: number }> {
  const folder = makeFolder({
    'script.jsonl': JSON.stringify({ text: finish('ok'), repeat: 9 }),
    'measure.cjs': measure,
    'ws/readme.md': 'x',
    'config/models.txt': '',
  })
  const path = join(folder, file)
  mkdirSync(dirname(path), { recursive: true })
  await kinds[kind](path)
  onTestFinished(() => rmSync(path, { force: true, recursive: true }))
  const given =
    args[0] === '-p' && !args.includes('--model')
      ? [...args, '--model', `scripted:${folder}/script.jsonl`]
      : args
  const result = await run(join(folder, 'ws'), given, {
    env: {
      ...env,
      HOME: folder,
      MUTSUMI_CONFIG_DIR: join(folder, 'config'),
      NODE_OPTIONS: `--require ${join(folder, 'measure.cjs')}`,
      RSS_FILE: join(folder, 'rss.txt'),
    },
  })
  return { ...result, rss: Number(readFileSync(join(folder, 'rss.txt'), 'utf8')) / 1024 }
}

const measure = `if (require('node:worker_threads').isMainThread) process.on('exit', () =>
  require('node:fs').writeFileSync(process.env.RSS_FILE, String(process.resourceUsage().maxRSS)))`

const isPosix = process.platform !== 'win32'

/** Each run is a process: normally a pipe at each place, and another kind at every second one. */
function kindsAt(index: number): readonly Kind[] {
  const all = Object.keys(kinds) as Kind[]
  if (process.env.MUTSUMI_LONG === '1') return all
  const others = all.filter((kind) => kind !== 'a pipe')
  return index % 2 === 0 ? ['a pipe', others[(index / 2) % others.length] ?? 'a folder'] : ['a pipe']
}

test
  .runIf(isPosix)
  .each(places.map((place, index) => [place.file, place.args.join(' '), place, kindsAt(index)] as const))(
  'Z7 whatever %s is, `%s` ends with a clear message',
  async (_, __, place, odd) => {
    const ends = odd
      .filter((kind) => !place.not?.includes(kind))
      .map(async (kind) => ({ kind, ...(await runWith(place, kind)) }))
    for (const { kind, code, stdout, stderr, rss } of await Promise.all(ends)) {
      const told = stderr + stdout
      expect({ kind, ended: code !== null && code !== 124, small: rss < mostMegabytes, told }).toMatchObject({
        ended: true,
        small: true,
      })
      expect(stderr).not.toMatch(/internal error|\n\s+at /)
      if (code !== 0) expect(told).toMatch(/^mutsumi: \S|"message":"\S/m)
    }
  },
)
