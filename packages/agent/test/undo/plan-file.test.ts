import type { FileChange, FileVersion } from '@mutsumi/schema'
import { describe, expect, it } from 'vitest'
import { planBack } from '../../src/undo/plan-file.js'

/** `A`: a version of that text. `A+x`: the same, executable. `-`: no file. */
function version(word: string): FileVersion | null {
  if (word === '-') return null
  const [hash = '', isExecutable] = word.split('+')
  return { hash, mode: isExecutable === undefined ? 0o644 : 0o755 }
}

/** `A→B B→C, now C` as changes and the file as it is. */
function planOf(story: string): string {
  const [told = '', now = ''] = story.split(', now ')
  const changes = told.split(' ').map((change): FileChange => {
    const [before = '', after = ''] = change.split('→')
    return { path: 'a.ts', before: version(before), after: version(after) }
  })
  const plan = planBack(changes, version(now))
  switch (plan.kind) {
    case 'same':
      return 'as it was'
    case 'restore':
      return `back to ${word(plan.to)}${plan.kept ? ', which is a person’s' : ''}`
    case 'edited':
      return `stays, ${word(plan.wanted)} was before`
    default:
      return plan satisfies never
  }
}

function word(shown: FileVersion | null): string {
  return shown === null ? '-' : shown.hash + (shown.mode === 0o755 ? '+x' : '')
}

describe('how one file comes back', () => {
  it.for([
    ['A→B, now B', 'back to A'],
    ['A→B B→C, now C', 'back to A'],
    ['-→B, now B', 'back to -'],
    ['A→-, now -', 'back to A'],
    ['-→B B→C C→-, now -', 'as it was'],
    ['A→B B→A, now A', 'as it was'],
    // A person edited, made or deleted it since.
    ['A→B, now P', 'stays, A was before'],
    ['A→B, now -', 'stays, A was before'],
    ['A→-, now P', 'stays, A was before'],
    ['-→B, now P', 'stays, - was before'],
    ['-→B, now -', 'as it was'],
    // A person edited it between two changes.
    ['A→B P→C, now C', 'back to P, which is a person’s'],
    ['A→B P→C Q→D, now D', 'back to Q, which is a person’s'],
    ['A→B P→C, now P', 'stays, A was before'],
    ['A→B P→C, now Q', 'stays, A was before'],
    // Recorded, and never made: the process ended in between.
    ['A→B, now A', 'as it was'],
    ['A→B B→C, now B', 'back to A'],
    ['A→B A→C, now C', 'back to A'],
    // A command found it so, and nobody knows how the command ended.
    ['A→A, now A', 'as it was'],
    ['A→A, now P', 'stays, A was before'],
    ['A→B P→P, now P', 'stays, A was before'],
    // The mode alone.
    ['A→A+x, now A+x', 'back to A'],
    ['A→A+x, now A', 'as it was'],
    ['A→B, now B+x', 'back to A+x'],
    ['A+x→B+x, now B+x', 'back to A+x'],
    ['A+x→-, now -', 'back to A+x'],
  ] as const)('H1 %s: %s', ([story, outcome]) => {
    expect(planOf(story)).toBe(outcome)
  })
})
