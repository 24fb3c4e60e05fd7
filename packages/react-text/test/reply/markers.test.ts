import { describe, expect, test } from 'vitest'
import { markerAt } from '../../src/reply/markers.js'

const words = {
  thought: ['Thought:', 'THOUGHTS 2:', '思考：', '想法:', '思路:'],
  action: ['Action:', 'action 1:', '行动：', '行動:', '动作:', '動作:'],
  input: [
    'Action Input:',
    'Action_Input:',
    'arguments:',
    'Args:',
    'input:',
    '行动输入:',
    '动作输入:',
    '参数：',
  ],
  final: ['Final Answer:', 'final_answer:', '最终答案：', '最终回答:', '最終答案:'],
  observation: ['Observation:', 'Observations:', 'Tool result:', '观察:', '观察结果：', '觀察:'],
} as const
const befores = [
  '',
  '   ',
  '# ',
  '###### ',
  '**',
  '***',
  '_',
  '`',
  '<b>',
  '<strong>',
  '   ## **',
  '  ### <b>',
]

describe('the words with which lines of a reply begin', () => {
  for (const [kind, spellings] of Object.entries(words))
    test(`A2 ${kind}: every spelling is found after every mark`, () => {
      const lines = spellings.flatMap((word) => befores.map((before) => `${before}${word} x`))
      expect(lines.filter((line) => markerAt(line, 0)?.kind !== kind)).toEqual([])
    })

  test('A2 other forms are found by their first character', () => {
    const found = [
      'Finish[x]',
      '**Finish**[x]',
      '### Action\nRead[{}]',
      '**Action**\nRead[{}]',
      '[tool] x',
      '  \\[user] x',
      '<tool_response>',
      '   <function_results>',
      '<tool_call>{}',
      '<function=Read>',
      '<｜tool▁calls▁begin｜>',
      '[TOOL_CALLS] []',
    ].map((line) => markerAt(line, 0)?.kind)
    expect(found).toEqual([
      ...['finish', 'finish', 'action', 'action'],
      ...['observation', 'observation', 'observation', 'observation'],
      ...['foreign', 'foreign', 'foreign', 'foreign'],
    ])
  })

  test('A2 an indented or quoted word, a word in a sentence and too many marks are not markers', () => {
    const lines = [
      '    Action: x',
      '> Action: x',
      'My action: x',
      'FINISH[x]',
      '',
      '\n',
      '***',
      `${'#'.repeat(7)} Action: x`,
      `${'*'.repeat(100_000)}Action: x`,
    ]
    expect(lines.map((line) => markerAt(line, 0))).toEqual(lines.map(() => undefined))
  })
})
