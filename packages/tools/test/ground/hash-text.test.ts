import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hashText } from '../../src/index.js'
import { readOnce } from '../support/reading.js'
import { temporaryFolder } from '../support/temporary-folder.js'

test('G5 the hash of a text is the SHA-256 of its UTF-8 bytes', () => {
  expect(hashText('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
  expect(hashText('ü🙂')).toBe(createHash('sha256').update(Buffer.from('ü🙂')).digest('hex'))
})

test('G5 the hash of a reading is the hash of its text, whatever its bytes', () => {
  const folder = temporaryFolder()
  fc.assert(
    fc.property(
      fc.uint8Array({ min: 1, maxLength: 40 }),
      fc.integer({ min: 0, max: 50 }),
      (bytes, maxBytes) => {
        folder.write({ file: bytes })
        const reading = readOnce(folder.at('file'), { root: folder.path, maxBytes })
        if (reading.kind === 'file') expect(reading.hash).toBe(hashText(reading.text))
      },
    ),
    { numRuns: 1000 },
  )
})
