import { describe, expect, test } from 'vitest'
import { approvalOf } from '../../src/mcp/approval.js'
import { cleanText } from '../../src/mcp/clean-text.js'
import { readToolListing } from '../../src/mcp/listed-tool.js'
import type { McpServerConfig } from '../../src/mcp/mcp-server-config.js'
import { serverEnvironment } from '../../src/mcp/server-environment.js'
import { toolNames } from '../../src/mcp/tool-names.js'

describe('names of MCP tools', () => {
  const name = (server: string, tool: string) => toolNames([{ server, tool }])[0] ?? ''

  test('T9 contain only characters that every provider accepts, and at most 64', () => {
    expect(name('git-hub_2', 'get.issue/ü')).toBe('mcp__git-hub_2__get_issue__')
    expect(name('s', '😀')).toBe('mcp__s___')
    expect(name('s', '')).toBe('mcp__s___')
    const long = name('s', 'x'.repeat(100))
    expect(long).toMatch(/^mcp__s__x+_[0-9a-f]{8}$/)
    expect(long).toHaveLength(64)
    expect(name('s', `${'x'.repeat(100)}y`)).not.toBe(long)
  })

  test('A8 of one server never match a rule for another server, such as mcp__a__*', () => {
    const servers = ['a', 'a_', 'a__b', '_a', 'a b', 'a.b', 'a_b', '', '_', 'x'.repeat(60), 'x'.repeat(61)]
    const names = servers.map((server) => name(server, `_tool${'y'.repeat(60)}`))
    const prefixes = names.map((full) => /^mcp__(?:(?!__).)+__/.exec(full)?.[0] ?? '')
    expect(new Set(prefixes).size).toBe(servers.length)
    for (const prefix of prefixes) expect(names.filter((full) => full.startsWith(prefix))).toHaveLength(1)
    expect(names.every((full) => /^[\w-]{1,64}$/.test(full))).toBe(true)
    expect(name('git hub', 'x')).toMatch(/^mcp__git_hub-[0-9a-f]{8}__x$/)
  })

  test('T9 that would be equal are made different, the same way in any order', () => {
    const raw = [
      { server: 'a', tool: 'b.c' },
      { server: 'a', tool: 'b_c' },
      { server: 'b', tool: 'b_c' },
      { server: 'a', tool: 'b__c' },
      { server: 'a', tool: 'other' },
    ]
    const names = toolNames(raw)
    expect(new Set(names).size).toBe(5)
    expect(names[4]).toBe('mcp__a__other')
    expect(names.slice(0, 2)).toEqual([
      expect.stringMatching(/^mcp__a__b_c_[0-9a-f]{8}$/),
      expect.stringMatching(/^mcp__a__b_c_[0-9a-f]{8}$/),
    ])
    expect(toolNames(raw.toReversed()).reverse()).toEqual(names)
  })

  test('T9 cannot be taken from a tool by giving another tool its hash as a name', () => {
    const pair = [
      { server: 'a', tool: 'b.c' },
      { server: 'a', tool: 'b_c' },
    ]
    const [first = ''] = toolNames(pair)
    const names = toolNames([...pair, { server: 'a', tool: first.replace('mcp__a__', '') }])
    expect(new Set(names).size).toBe(3)
  })
})

describe('approvals', () => {
  const tool = {
    name: 't',
    description: 'does',
    inputSchema: { type: 'object', properties: { a: {}, b: {} } },
  }
  const stdio: McpServerConfig = {
    origin: 'user',
    command: 'node',
    args: ['server.js'],
    env: { TOKEN: 'one', NODE_OPTIONS: '' },
  }
  const approved = approvalOf(stdio, tool)

  test('A8 stay while server and tool stay the same, even with a renewed key or keys in another order', () => {
    const sameSchema = { properties: { b: {}, a: {} }, type: 'object' }
    expect(approvalOf(stdio, { ...tool, inputSchema: sameSchema })).toBe(approved)
    expect(approvalOf({ ...stdio, env: { NODE_OPTIONS: '', TOKEN: 'two' } }, tool)).toBe(approved)
  })

  test('A8 are asked for again when anything about the server or the tool changes', () => {
    const changed = [
      approvalOf({ ...stdio, command: 'deno' }, tool),
      approvalOf({ ...stdio, args: ['other.js'] }, tool),
      approvalOf({ ...stdio, args: ['server.js', '--all'] }, tool),
      approvalOf({ ...stdio, cwd: '/elsewhere' }, tool),
      approvalOf({ ...stdio, env: { TOKEN: 'one', NODE_OPTIONS: '--require ./evil.js' } }, tool),
      approvalOf({ ...stdio, env: { TOKEN: 'one', NODE_OPTIONS: '', MORE: '' } }, tool),
      approvalOf({ origin: 'user', url: 'https://one.example' }, tool),
      approvalOf({ origin: 'user', url: 'https://two.example' }, tool),
      approvalOf(stdio, { ...tool, name: 'u' }),
      approvalOf(stdio, { ...tool, description: 'does more' }),
      approvalOf(stdio, { ...tool, inputSchema: { type: 'object' } }),
      approvalOf(stdio),
    ]
    expect(new Set([approved, ...changed]).size).toBe(changed.length + 1)
  })
})

test('T9 text from a server keeps its lines and loses invisible characters', () => {
  expect(cleanText('a\u001b[1;31mred\u001b[0m\r\nb\rc\td')).toBe('ared\nb\nc\td')
  expect(cleanText('x\u202e\u2066y\u{e0041}z\ud800!\u009b')).toBe('xyz\ufffd!')
  expect(cleanText('👩‍👩‍👧 naïve 日本')).toBe('👩‍👩‍👧 naïve 日本')
})

test('T9 a server’s environment contains the allowed variables and those in its config', () => {
  const ours = {
    PATH: '/bin',
    LC_ALL: 'C',
    OPENAI_API_KEY: 'k',
    XDG_SESSION_ID: '1',
    EMPTY: undefined,
    MY: 'x',
  }
  expect(serverEnvironment({ OPENAI_API_KEY: 'own' }, ours)).toEqual({
    PATH: '/bin',
    LC_ALL: 'C',
    OPENAI_API_KEY: 'own',
  })
})

test('T9 from an endless list the first tools are used, with a warning', () => {
  const listed = Array.from({ length: 300 }, (_, index) => ({
    name: `t${index}`,
    inputSchema: { type: 'object' },
  }))
  const { tools, warnings } = readToolListing(listed)
  expect(tools.map(({ name }) => name)).toEqual(listed.slice(0, 128).map(({ name }) => name))
  expect(warnings).toEqual(['only the first 128 tools are used'])
})
