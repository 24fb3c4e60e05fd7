import { describe, expect, it } from 'vitest'
import { runProgram } from './support/child-program.js'

/** Prints the address of every module that is loaded. */
const telling = `
  import { register } from 'node:module'
  const hook = \`
    import { writeSync } from 'node:fs'
    export async function load(url, context, next) {
      writeSync(1, url + '\\\\n')
      return next(url, context)
    }\`
  register('data:text/javascript,' + encodeURIComponent(hook))
`

/** The modules that a program loads, packages by their names. */
async function loadedBy(source: string): Promise<string[]> {
  const printed = await runProgram(source, { before: telling })
  const names = printed.split('\n').map((url) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? url)
  return [...new Set(names)]
}

describe('which modules are loaded', () => {
  it('A5 the package itself loads no provider, no SDK, no schema library and no network', async () => {
    const loaded = await loadedBy(`
      import { findLocalServers, openModel, resolveModelChoice } from '@mutsumi/model'
      if (!findLocalServers || !openModel) throw new Error('not exported')
      console.log(resolveModelChoice({ environment: { OPENAI_API_KEY: 'sk-1' } }).choice?.provider)
    `)
    expect(loaded).toContain('openai')
    expect(loaded.filter((name) => /^(?:@ai-sdk|ai$|zod|eventsource-parser)/.test(name))).toEqual([])
    expect(loaded.filter((name) => /node:(?:https?|tls|net|zlib)/.test(name))).toEqual([])
  })

  it('A5 opening a model loads its provider and no other, and no second SDK above it', async () => {
    const loaded = await loadedBy(`
      import { openModel } from '@mutsumi/model'
      const baseUrl = 'http://127.0.0.1:9/v1'
      await openModel({ provider: 'anthropic', name: 'm', baseUrl, source: 'flag' })
    `)
    const sdk = loaded.filter((name) => name.startsWith('@ai-sdk/') || name === 'ai').sort()
    expect(sdk).toEqual(['@ai-sdk/anthropic', '@ai-sdk/provider', '@ai-sdk/provider-utils'])
  })

  it('A5 chat completions need no SDK at all', async () => {
    const loaded = await loadedBy(`
      import { openModel } from '@mutsumi/model'
      const baseUrl = 'http://127.0.0.1:9/v1'
      await openModel({ provider: 'openai-compatible', name: 'm', baseUrl, source: 'flag' })
    `)
    expect(loaded.filter((name) => /^(?:@ai-sdk|ai$|zod|eventsource-parser)/.test(name))).toEqual([])
  })
})
