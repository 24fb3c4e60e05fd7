import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Writes an answer to a file that no other user can read. Returns its path. */
export function storedAnswer(answer: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'mutsumi-answer-')), 'answer.md')
  writeFileSync(path, answer, { mode: 0o600 })
  return path
}
