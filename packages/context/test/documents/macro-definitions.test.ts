import { describe, expect, test } from 'vitest'
import { extractMacroDefinitions } from '../support/engine.js'

function defined(prompt: string): Record<string, string> {
  return Object.fromEntries(extractMacroDefinitions(prompt))
}

describe('#define', () => {
  test('M2 the value is the rest of the line, trimmed', () => {
    const macros = extractMacroDefinitions(
      '#define API_VERSION v2\n#define ENDPOINT   https://api.example.com/a b  \nPlease check.',
    )
    expect(macros).toBeInstanceOf(Map)
    expect([...macros]).toEqual([
      ['API_VERSION', 'v2'],
      ['ENDPOINT', 'https://api.example.com/a b'],
    ])
  })

  test('M2 spaces and tabs may come before it', () => {
    expect(defined('   #define A 1\n\t#define B 2\n      #define C 3')).toEqual({ A: '1', B: '2', C: '3' })
  })

  test('M2 a tab separates like a space', () => {
    expect(defined('#define\tA\t1')).toEqual({ A: '1' })
  })

  test('M2 the value may be empty', () => {
    expect(defined('#define A\n#define B   \n#define C')).toEqual({ A: '', B: '', C: '' })
  })

  test('M2 line ends may be CRLF', () => {
    expect(defined('#define A 1\r\n#define B\r\n#define C 3 \r\n')).toEqual({ A: '1', B: '', C: '3' })
  })

  test('M2 the last one wins', () => {
    expect(defined('#define A 1\n#define A 2\n#define A 3')).toEqual({ A: '3' })
  })

  test('M2 the last one wins, in whichever form it is written', () => {
    expect(defined('#define A line\n@{define A, "command"}')).toEqual({ A: 'command' })
    expect(defined('@{define A, "command"}\n#define A line')).toEqual({ A: 'line' })
  })

  test('M2 only at the start of a line', () => {
    expect(defined('see #define A 1\n- #define B 2\n> #define C 3')).toEqual({})
  })

  test('M2 a macro with parameters, as in C, is not a definition', () => {
    expect(defined('#define MAX(a, b) ((a) > (b) ? (a) : (b))\n#define F() x')).toEqual({})
  })

  test('M2 an invalid name defines nothing', () => {
    expect(defined('#define 1A x\n#define A-B x\n#define\n#defineA x\n#DEFINE A x\n# define A x')).toEqual({})
  })

  test('M2 a value is kept as it is written', () => {
    expect(defined('#define A "quoted"\n#define B {{A}}\n#define C @[x.md] // 注释')).toEqual({
      A: '"quoted"',
      B: '{{A}}',
      C: '@[x.md] // 注释',
    })
  })

  test('M2 a command in a value is part of the value', () => {
    expect(defined('@{ifdef NEVER}\n#define A @{endif}\n#define B 1\n@{endif}\n#define C 2')).toEqual({
      C: '2',
    })
  })

  test('M2 __proto__ can be defined', () => {
    expect([...extractMacroDefinitions('#define __proto__ 1\n#define constructor 2')]).toEqual([
      ['__proto__', '1'],
      ['constructor', '2'],
    ])
  })
})

describe('fenced code', () => {
  test('M2 fenced code defines nothing, the lines around it do', () => {
    expect(defined('#define A 1\n```c\n#define B 2\n```\n#define C 3')).toEqual({ A: '1', C: '3' })
    expect(defined('~~~\n#define B 2\n~~~\n#define C 3')).toEqual({ C: '3' })
  })

  test('M2 a fence is closed only by one of its kind and length', () => {
    expect(defined('````\n```\n#define A 1\n```\n~~~~\n#define B 2\n````\n#define C 3')).toEqual({ C: '3' })
  })

  test('M2 an unclosed fence runs to the end', () => {
    expect(defined('```\n#define A 1\n\n#define B 2')).toEqual({})
  })

  test('M2 code within a line is not a fence', () => {
    expect(defined('```not a fence```\n#define A 1')).toEqual({ A: '1' })
  })

  test('M2 a fence may end in CRLF', () => {
    expect(defined('```c\r\n#define A 1\r\n```\r\n#define B 2\r\n')).toEqual({ B: '2' })
  })

  test('M2 a fence in a list item is a fence, however deep the item is indented', () => {
    for (const text of [
      '- item\n    ```c\n    #define A 1\n    ```\n#define B 2',
      '1. item\n\n   ```c\n   #define A 1\n   ```\n#define B 2',
      '10. item\n\n    ~~~\n    #define A 1\n    ~~~\n#define B 2',
      '- a\n  - b\n    - c\n\n      ```\n      #define A 1\n      ```\n#define B 2',
      '-\titem\n\n\t```\n\t#define A 1\n\t```\n#define B 2',
      '- ```c\n  #define A 1\n  ```\n#define B 2',
      '- 1. ```c\n     #define A 1\n     ```\n#define B 2',
      '* item\r\n\r\n     ```c\r\n     #define A 1\r\n     ```\r\n#define B 2',
      '- item goes on\nwithout indent\n    ```\n    #define A 1\n    ```\n#define B 2',
      '-\n    ```\n    #define A 1\n    ```\n#define B 2',
      '- a\n\n  b\n\n- c\n     ```\n  #define A 1\n  ```\n#define B 2',
    ])
      expect([text, defined(text)]).toEqual([text, { B: '2' }])
  })

  test('M2 indented code that shows a fence does not open one, in a list or outside', () => {
    for (const text of [
      '    ```\n#define B 2',
      'text\n\n    ```\n#define B 2',
      '\t```\n#define B 2',
      '- item\n\n      ```\n#define B 2',
      '- item\n\nno item\n\n    ```\n#define B 2',
      '- item\n- ```not a fence```\n#define B 2',
      '-      ```\n#define B 2',
      '-```\n#define B 2',
      '    - code\n      ```\n#define B 2',
    ])
      expect([text, defined(text)]).toEqual([text, { B: '2' }])
  })

  test('M2 a fence in a list item is closed by a fence that is not deeper than code', () => {
    expect(defined('- item\n  ```\n      ```\n  #define A 1\n  ```\n#define B 2')).toEqual({ B: '2' })
    expect(defined('- item\n  ```\n     ```\n#define A 1')).toEqual({ A: '1' })
  })

  test('M2 an unclosed fence in a list item ends with the item', () => {
    for (const text of [
      '- ```\n  #define A 1\n\n#define B 2',
      '- ```\n  #define A 1\n#define B 2',
      '- ```\n#define B 2',
      '1. item\n\n   ~~~\n   #define A 1\n\n   #define C 3\n\n  #define B 2',
      '- a\n  - ```\n    #define A 1\n  #define B 2',
      '- ```\r\n  #define A 1\r\n\r\n#define B 2\r\n',
      '- ```\n  #define A 1\n- next\n#define B 2',
      '- ```\n  #define A 1\n\n#define B 2\n\n```\n#define C 3\n```\n',
      '- ```\n\t#define A 1\n#define B 2',
    ])
      expect([text, defined(text)]).toEqual([text, { B: '2' }])
  })

  test('M2 a fence after the end of a list item belongs to no item', () => {
    expect(defined('- ```\n  #define A 1\n```\n#define B 2\n```\n#define C 3')).toEqual({ C: '3' })
    expect(defined('- ```\n  code\ntext\n    ```\n#define B 2')).toEqual({ B: '2' })
    expect(defined('- ```\n  code\n  ```\ntext\n    ```\n#define B 2')).toEqual({ B: '2' })
    expect(defined('- ```\n  code\n- ```\n  #define A 1\n  ```\n#define B 2')).toEqual({ B: '2' })
  })

  test('M2 commands in fenced code do nothing', () => {
    expect(defined('```\n@{define A, "1"}\n@{ifdef NEVER}\n```\n#define B 2')).toEqual({ B: '2' })
  })
})

describe('@{define} and conditions', () => {
  test('M2 @{define} works within a line too', () => {
    expect(defined('@{define A, "1"}\ntext @{define B, "two words"} text')).toEqual({
      A: '1',
      B: 'two words',
    })
  })

  test('M2 @{define} in an inactive branch does not count', () => {
    expect(
      defined('@{ifdef NEVER}\n@{define A, "1"}\n@{else}\n@{define B, "2"}\n@{endif}\n@{define C, "3"}'),
    ).toEqual({ B: '2', C: '3' })
  })

  test('M2 #define in an inactive branch does not count', () => {
    expect(defined('@{ifdef NEVER}\n#define A 1\n@{else}\n#define B 2\n@{endif}\n#define C 3')).toEqual({
      B: '2',
      C: '3',
    })
  })

  test('M2 a condition sees the definitions above it and not those below', () => {
    expect(
      defined('@{ifdef A}\n#define EARLY 1\n@{endif}\n#define A 1\n@{ifdef A}\n#define LATE 1\n@{endif}'),
    ).toEqual({ A: '1', LATE: '1' })
  })

  test('M2 @{undef} removes a definition', () => {
    expect(defined('#define A 1\n#define B 2\n@{undef A}')).toEqual({ B: '2' })
  })
})
