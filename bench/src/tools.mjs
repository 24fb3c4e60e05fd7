import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { builtInTools, createToolRunner, Workspace } from '@mutsumi/tools'
import { rgPath } from '@vscode/ripgrep'
import { compare } from './measure.mjs'
import { milliseconds, row } from './report.mjs'
import { sourceText, writeOld } from './workspace.mjs'

/** Compares the tools with the least work that any program would have to do, in a tree of 3 000 files. */
export async function benchTools() {
  const root = mkdtempSync(join(tmpdir(), 'mutsumi-bench-'))
  try {
    makeTree(root)
    const call = caller(root)
    return [...(await benchSearch(root, call)), ...(await benchFiles(root, call)), await promptTokens()]
  } finally {
    rmSync(root, { recursive: true })
  }
}

async function benchSearch(root, call) {
  const rg =
    (...args) =>
    () =>
      spawnSync(rgPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 28 })
  const times = await compare({
    grep: () => call('Grep', { pattern: 'value_7_3\\b' }),
    rg: rg('--json', 'value_7_3\\b', '.'),
    start: rg('--version'),
    glob: () => call('Glob', { pattern: '**/*.ts' }),
    ls: () => call('LS', { path: 'folder-1' }),
    files: rg('--files', '.'),
  })
  const grep = times.rg + times.start
  return [
    row(
      'Grep against rg and one more process start',
      times.grep / grep,
      { atMost: 1.3 },
      milliseconds(times.grep, grep),
    ),
    row(
      'Glob against rg --files',
      times.glob / times.files,
      { atMost: 1.5 },
      milliseconds(times.glob, times.files),
    ),
    row(
      'LS against rg --files',
      times.ls / times.files,
      { atMost: 1.5 },
      milliseconds(times.ls, times.files),
    ),
  ]
}

async function benchFiles(root, call) {
  const small = join(root, 'small.ts')
  const large = join(root, 'large.ts')
  writeOld(small, sourceText(20 * 1024, 1))
  writeOld(large, sourceText(1024 * 1024, 2))
  await call('Read', { path: 'large.ts', limit: 1 })
  const flip = ['value_2_5 ', 'other_2_5 ']
  const times = await compare(
    {
      read: () => call('Read', { path: 'small.ts' }),
      bareRead: () => readFile(small, 'utf8'),
      edit: async () => {
        await call('Edit', { path: 'large.ts', old_string: flip[0], new_string: flip[1] })
        flip.reverse()
      },
      bareEdit: () => writeFileSync(`${large}.copy`, readFileSync(large, 'utf8')),
    },
    { repeat: { read: 20, bareRead: 20 } },
  )
  return [
    row(
      'Read of 20 KB against readFile',
      times.read / times.bareRead,
      { atMost: 3 },
      milliseconds(times.read, times.bareRead),
    ),
    row(
      'Edit of 1 MB against a bare read and write',
      times.edit / times.bareEdit,
      { atMost: 5 },
      milliseconds(times.edit, times.bareEdit),
    ),
  ]
}

async function promptTokens() {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base')
  const prompts = builtInTools().map(({ prompt }) => prompt)
  return row(
    'tokens of all built-in tools’ prompts',
    countTokens(prompts.join('\n\n')),
    { atMost: 1000, unit: '' },
    `${prompts.length} tools`,
  )
}

function caller(root) {
  const workspace = new Workspace({ root })
  const runner = createToolRunner({ workspace, tools: builtInTools(), permit: () => ({ granted: true }) })
  return async (name, args) => {
    const result = await runner.run({ name, args }, { allowed: [root] })
    if (result.status === 'error') throw new Error(`${name}: ${result.text}`)
    return result
  }
}

function makeTree(root) {
  for (let folder = 0; folder < 60; folder++) {
    mkdirSync(join(root, `folder-${folder}`))
    for (let file = 0; file < 50; file++)
      writeFileSync(join(root, `folder-${folder}`, `file-${file}.ts`), sourceText(2048, file))
  }
}
