import { describe, expect, it } from 'vitest'
import { makeFolder } from '../../../../test/support/folder.js'
import { askOffline } from '../support/offline-loop.js'

const asked = 'Write AGENTS.md for this project: what an agent needs.'

describe('P1 a draft of AGENTS.md', () => {
  it('P1 a draft has the README’s first paragraph, the scripts by their runner and the folders, and says if it is not written', async () => {
    const root = makeFolder({
      'README.md': '[![build](b.svg)](x)\n\nOven\n====\n\n**Oven** bakes `bread`.\nEvery day.\n\n## Use\n',
      'package.json': '{"name": "oven", "scripts": {"test": "vitest `run`\\n# not a heading"}}',
      ...{
        'pnpm-lock.yaml': '',
        Makefile: 'all:\n',
        'src/main.ts': '',
        'dist/main.js': '',
        'docs/a.md': '',
        '.git/HEAD': '',
      },
    })
    const { calls, answer } = await askOffline(root, asked)
    const write = calls.find((call) => call.startsWith('Write '))?.slice('Write '.length) ?? '{}'
    expect(JSON.parse(write)).toEqual({
      path: 'AGENTS.md',
      content: [
        '# oven',
        '',
        '**Oven** bakes `bread`. Every day.',
        '',
        '## Commands',
        '',
        "- `pnpm run test`: `vitest 'run' # not a heading`",
        '- `make`',
        '',
        '## Layout',
        '',
        '- `docs/`',
        '- `src/`: `main.ts`',
        '- `Makefile`, `package.json`: how it is built',
        '',
      ].join('\n'),
    })
    // The tools of this test permit no change.
    expect(answer).toBe('AGENTS.md is not written.')
  })

  it('P1 instructions that exist stay as they are, and the answer says so', async () => {
    const kept = await askOffline(makeFolder({ 'CLAUDE.md': 'Be kind.\n' }), asked)
    expect(kept.calls.some((call) => call.startsWith('Write'))).toBe(false)
    expect(kept.answer).toMatch(/^CLAUDE\.md exists, so nothing is written\./)
  })
})
