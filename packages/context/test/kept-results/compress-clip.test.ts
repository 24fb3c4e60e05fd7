import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../../test/support/property-runs.js'
import { ToolResultCompressor } from '../../src/kept-results/tool-result-compressor.js'
import { failureOf, incoming, numberedLines, resultOf, toolNames } from '../support/tool-results.js'

const compressor = new ToolResultCompressor()

describe('a clipped result', () => {
  test('K3 is JSON within the limit of characters, and clipping it again changes nothing', () => {
    const characters = fc.oneof(fc.integer({ min: 2, max: 400 }), fc.integer({ min: 2, max: 5000 }))
    fc.assert(
      fc.property(fc.constantFrom(...toolNames), incoming, characters, (tool, result, characters) => {
        const compressed = compressor.compress(tool, result)
        const clipped = compressor.clip(tool, compressed, characters)
        expect(clipped.length).toBeLessThanOrEqual(characters)
        expect(() => JSON.parse(clipped)).not.toThrow()
        expect(compressor.clip(tool, clipped, characters)).toBe(clipped)
        if (compressed.length <= characters) expect(clipped).toBe(compressed)
      }),
      { numRuns: runs(500) },
    )
  })

  test('K3 still names the status, the subject and the cut, with as much content as fits', () => {
    const content = numberedLines(400)
    const compressed = compressor.compress('Read', resultOf({ path: 'src/a.ts', start_line: 1, content }))
    const { status, data } = JSON.parse(compressor.clip('Read', compressed, 1000))
    expect({ status, path: data.path, start: data.start_line }).toEqual({
      status: 'success',
      path: 'src/a.ts',
      start: 1,
    })
    expect(data.clipped).toBe(`cut from ${compressed.length} characters`)
    const again = compressor.clip('Read', compressor.clip('Read', compressed, 1000), 300)
    expect(JSON.parse(again).data.clipped).toBe(data.clipped)
    expect(data.content.length).toBeGreaterThan(600)
    expect(content.startsWith(data.content)).toBe(true)
  })

  test('K3 keeps the end of a command’s output', () => {
    const output = `${'ok\n'.repeat(3000)}not ok`
    const compressed = compressor.compress(
      'Bash',
      resultOf({ output, exit_code: 1 }, { args: { command: 'make' } }),
    )
    const { data } = JSON.parse(compressor.clip('Bash', compressed, 240))
    expect(data).toMatchObject({ command: 'make', exit_code: 1, output_lines: 3001 })
    const less = JSON.parse(compressor.clip('Bash', compressor.compress('Bash', 'x'.repeat(9000)), 300))
    expect(less.data.output_tail).toMatch(/^x{50,}$/)
  })

  test('K3 keeps the whole error while it fits, then its ends, then its code', () => {
    const compressed = compressor.compress(
      'Read',
      failureOf('NOT_FOUND', `no ${'x'.repeat(2000)} here`, { path: 'a' }),
    )
    const clip = (characters: number) => JSON.parse(compressor.clip('Read', compressed, characters))
    expect(clip(1500).error.message).toMatch(/^no x+ … \(\d+ characters left out\) … x+ here$/)
    expect(clip(1500)).toMatchObject({ status: 'error', data: { path: 'a' }, error: { code: 'NOT_FOUND' } })
    expect(clip(120)).toMatchObject({ status: 'error', error: { code: 'NOT_FOUND' } })
    expect(clip(60)).toEqual({ status: 'error', error: { code: 'NOT_FOUND' } })
    expect(clip(20)).toEqual({ status: 'error' })
    expect(clip(5)).toEqual({})
  })

  test('K3 never cuts a character in half', () => {
    const compressed = compressor.compress(
      'Read',
      resultOf({ path: '😀界'.repeat(200), content: '😀"界\n'.repeat(500) }),
    )
    for (let characters = 2; characters < 900; characters++) {
      expect(compressor.clip('Read', compressed, characters)).not.toMatch(/\\ud[89a-f]/i)
    }
  })

  test('K3 also clips text that is not a result', () => {
    const clipped = JSON.parse(compressor.clip('mcp__a__b', JSON.stringify('word '.repeat(150)), 300))
    expect(clipped.clipped).toBe('cut from 752 characters')
    expect(clipped.head).toMatch(/^word word /)
  })
})
