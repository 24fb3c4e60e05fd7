import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { makeFolder, run } from './support/command.js'

const repository = fileURLToPath(new URL('../../../', import.meta.url))
const textOf = (path: string) => readFileSync(join(repository, path), 'utf8')
const guide = readdirSync(join(repository, 'docs/guide'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/guide/${name}`)

describe('the documents for users', () => {
  test.each(['README.md', 'README.zh-CN.md', ...guide])('H1 %s has no broken links', (path) => {
    // Text in code is an example.
    const prose = textOf(path).replace(/```[\s\S]*?```|`[^`\n]*`/g, '')
    const links = [...prose.matchAll(/\]\(([^)#:\s]+)(?:#[^)]*)?\)/g)].map(([, link = '']) => link)
    const lost = links.filter((link) => !existsSync(join(repository, dirname(path), link)))
    expect(lost).toEqual([])
  })

  test('H1 the README’s examples of render and context work', async () => {
    const commands = [...textOf('README.md').matchAll(/npx mutsumi ((?:render|context) [^`\n]+)/g)]
    expect(commands.length).toBeGreaterThanOrEqual(2)
    for (const [, command = ''] of commands) {
      const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '')
      const { code, stderr } = await run(repository, words)
      expect({ command, code, stderr }).toEqual({ command, code: 0, stderr: '' })
    }
  })

  test('A6 the guide’s script gives the output that the guide shows', async () => {
    const [, , script = '', shown = ''] =
      /(\$ cat > script\.jsonl\n)([\s\S]*?)\$ mutsumi -p .*\n([\s\S]*?)```/.exec(
        textOf('docs/guide/models.md'),
      ) ?? []
    const manifest = JSON.stringify({ workspaces: ['packages/*'] }, undefined, 1).split('\n')
    const lines = Number(/of (\d+)/.exec(shown)?.[1])
    const padding = Array.from({ length: lines - manifest.length }, () => '')
    const folder = makeFolder({
      'script.jsonl': script,
      'package.json': `${[...manifest, ...padding].join('\n')}\n`,
    })
    const { stdout, stderr } = await run(folder, ['-p', 'What is this?', '--model', 'scripted:script.jsonl'])
    expect(stderr + stdout).toBe(shown)
  })

  test('A6 the guide lists every field of a scripted reply, and no other', () => {
    const source = textOf('packages/model/src/scripted/script.ts').split('*/')[0] ?? ''
    const known = [...source.matchAll(/^ \* {5}([a-zA-Z]+) +\S/gm)].map(([, field]) => field)
    const table = textOf('docs/guide/models.md').split('## Replies from a file')[1]?.split('\n## ')[0] ?? ''
    const told = [...table.matchAll(/^\| `([a-zA-Z]+)` \|/gm)].map(([, field]) => field)
    expect(told.length).toBeGreaterThan(8)
    expect(told).toEqual(known)
  })
})
