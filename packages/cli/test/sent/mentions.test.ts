import { describe, expect, test } from 'vitest'
import { makeFolder, run } from '../support/command.js'
import { flagsOf, modelServer } from '../support/model-server.js'
import { sentMessages } from '../support/sent-messages.js'

const files = { 'src/auth.ts': 'AUTH\n', 'src/parser.ts': 'PARSER\n', 'docs/a.txt': 'one\ntwo\nthree\n' }

/** The request that `mutsumi -p` sends for a prompt, and its warnings. */
async function ask(prompt: string) {
  const server = await modelServer()
  const { stderr } = await run(makeFolder(files), [
    '-p',
    prompt,
    '-c',
    'ghost.format=raw',
    ...flagsOf(server),
  ])
  return { user: sentMessages(server).at(-1)?.content ?? '', stderr }
}

describe('mentions in the request that is sent', () => {
  test('F1 F2 the reminder names files and folders in order, except those that the message includes', async () => {
    const { user } = await ask('Compare @src/parser.ts with @src/auth.ts in @docs; @[docs/a.txt] @docs/a.txt')
    expect(user).toContain(
      `@docs/a.txt\n\n<system-reminder>
The user mentioned @src/parser.ts, @src/auth.ts, @docs/.
You MUST read these files with the Read tool before answering, in this order.
You MUST list this folder with the LS tool before answering.
</system-reminder>`,
    )
  })

  test('F2 a path that does not exist is not in the reminder, and a warning has the nearest name', async () => {
    const { user, stderr } = await ask('Explain @src/praser.ts')
    expect(user).toBe('Explain @src/praser.ts')
    expect(stderr).toContain('did you mean @src/parser.ts?')
  })

  test("F4 design document 000's example: a mentioned document brings the values of its macros, in later processes too", async () => {
    const rules = '# API\n\n- {{API_VERSION}}\n- {{TIMEOUT}} s, {{ LATER }}\n@{ifdef API_VERSION}\n@{endif}\n'
    const folder = makeFolder({ 'rules/api-rules.md': rules })
    const server = await modelServer()
    const flags = ['--session', 'talk.mtm', ...flagsOf(server)]
    const prompt =
      '#define API_VERSION v2\n#define TIMEOUT 30\n\n请帮我检查 @rules/api-rules.md 中的配置是否正确。'
    const { stderr } = await run(folder, ['-p', prompt, ...flags])
    const sent = `${prompt}

<system-reminder>
The user mentioned @rules/api-rules.md.
You MUST read this file with the Read tool before answering.
Macros used in it: API_VERSION = v2, TIMEOUT = 30.
</system-reminder>`
    expect(sentMessages(server).at(-1)?.content).toBe(sent)
    expect(stderr).toContain('@rules/api-rules.md uses {{LATER}}, which is not defined')
    await run(folder, ['-p', '#define TIMEOUT 60\n\n@rules/api-rules.md again', ...flags])
    const later = sentMessages(server).map(({ content }) => content)
    expect(later).toContain(sent)
    expect(later.at(-1)).toContain('Macros used in it: API_VERSION = v2, TIMEOUT = 60.')
  })

  test('R3 the existing lines of a range are sent with a note, and for a wrong spelling the error has the right one', async () => {
    const { user } = await ask('@[docs/a.txt:2:99] @[docs/a.txt#L2-L3] @[docs/A.txt] @[docs/a.txt:7]')
    expect(user).toContain('two\nthree\n> The file has 3 lines; lines 2 to 99 were asked for.')
    expect(user).toContain('not found; for these lines, write @[docs/a.txt:2:3]')
    expect(user).toContain('not found; did you mean @[docs/a.txt]?')
    expect(user).toContain('the file has 3 lines; line 7 cannot be shown')
  })

  test('F2 references in a fence, unclosed references and conditions are sent as typed, with a warning', async () => {
    const prompt = '```\n@[src/auth.ts]\n```\n@[src/auth.ts\n@{if A IS "b"}\nx\n@{endif}'
    const { user, stderr } = await ask(prompt)
    expect(user).toBe(prompt)
    expect(stderr).toContain('@[src/auth.ts]: inside a code fence')
    expect(stderr).toContain('@[src/auth.ts: no closing ]')
    expect(stderr).toContain('a prompt is sent as typed')
  })
})
