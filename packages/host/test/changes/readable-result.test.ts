import { expect, test } from 'vitest'
import { readableAnswer, readableResult } from '../../src/changes/readable-result.js'

test('P5 the facts above a result are words, and the rest is as the model read it', () => {
  expect(readableResult('{"status":"partial","exit_code":6,"notes":["a","b"]}\n{"a":1}')).toBe(
    'exit code: 6\nnotes: a; b\n{"a":1}',
  )
  expect(readableResult('plain\n{"a":1}')).toBe('plain\n{"a":1}')
})

test('P5 a server’s answer in JSON is shown as names and values, as a whole or line by line', () => {
  expect(readableAnswer('{"said":"Two\\nlines","list":[1,2],"to":{"deep":true},"parts":[{"n":1}]}')).toBe(
    'said:\n  Two\n  lines\nlist: 1; 2\nto:\n  deep: true\nparts:\n  1:\n    n: 1',
  )
  expect(readableAnswer('[\n  {"n": 1},\n  {"n": 2}\n]')).toBe('1:\n  n: 1\n2:\n  n: 2')
  expect(readableAnswer('Found:\n{"a":1}\n{not json')).toBe('Found:\na: 1\n{not json')
})
