import { expect, test } from 'vitest'
import { onSignOfLife } from '../../src/ground/sign-of-life.js'
import { TakingOut } from '../../src/sandbox/take-out.js'
import { temporaryFolder } from '../support/temporary-folder.js'

test('Z5 a watchdog hears that places are being taken out, so that it does not end the run in the middle', () => {
  const names = ['a/.npmrc', 'b/.npmrc', 'c/.npmrc']
  const folder = temporaryFolder(Object.fromEntries(names.map((name) => [`ws/${name}`, ''])))
  let heard = 0
  onSignOfLife(() => heard++)
  try {
    const taken = new TakingOut([folder.at('ws')]).take(names.map((name) => folder.at(`ws/${name}`)))
    expect(taken.map(({ fault }) => fault)).toEqual([undefined, undefined, undefined])
    expect(heard).toBeGreaterThanOrEqual(names.length)
  } finally {
    onSignOfLife(() => undefined)
  }
})
