import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { growth, linear } from '../../../../test/support/growth.js'
import { parseCommandLine, type SimpleCommand } from '../../src/command-line/command-line.js'
import { quoteWord } from '../../src/command-line/shell-word.js'
import { reasonText } from '../../src/reasons/reason.js'
import { temporaryFolder } from '../support/temporary-folder.js'

function commandsOf(line: string): readonly SimpleCommand[] {
  const parsed = parseCommandLine(line)
  return parsed.kind === 'parsed' ? parsed.commands : expect.fail(`${line}: ${reasonText(parsed.reason)}`)
}

function wordsOf(line: string): string[][] {
  return commandsOf(line).map(({ words }) => words.map((word) => word.text))
}

function redirectionsOf(line: string): string[] {
  return commandsOf(line).flatMap(({ redirections }) =>
    redirections.map(({ effect, target }) => `${effect} ${target.text}`),
  )
}

describe('the parts of a line', () => {
  test.for([
    ['a; b && c || d | e |& f & g', ['a', 'b', 'c', 'd', 'e', 'f', 'g']],
    ['a\nb\n\n c', ['a', 'b', 'c']],
    ['(a; (b)) && { c; d; }', ['a', 'b', 'c', 'd']],
    ['a $(b $(c)) `d` "$(e)" "`f`" <(g) >(h)', ['b', 'c', 'd', 'e', 'f', 'g', 'h', 'a']],
    ['a |\n b &&\n c', ['a', 'b', 'c']],
    ['A=$(a) b > "$(c)"', ['a', 'b', 'c']],
  ] as const)('A8 are all found: %j', ([line, names]) => {
    const found = commandsOf(line).map(({ words }) => words[0]?.text)
    expect([...found].sort()).toEqual([...names].sort())
  })

  test('A8 quotes, escapes and continued lines make the words that a shell makes', () => {
    expect(wordsOf(`a 'b c' "d  e" f\\ g h"i"'j' "" '' "\\$x \\a"`)).toEqual([
      ['a', 'b c', 'd  e', 'f g', 'hij', '', '', '$x \\a'],
    ])
    expect(wordsOf('a \\\n b\\\n c')).toEqual([['a', 'b', 'c']])
    expect(parseCommandLine('a 2\\\n>c').kind).toBe('unparsed')
  })

  test('A8 every redirection is reported with its target', () => {
    expect(redirectionsOf('a > b 2>> c < d &> e >| f <> g >& h')).toEqual([
      'write b',
      'write c',
      'read d',
      'write e',
      'write f',
      'write g',
      'write h',
    ])
    expect(redirectionsOf('a 2>&1 1>&- <<< x 3<&4')).toEqual(['none 1', 'none -', 'none x', 'none 4'])
    expect(redirectionsOf('(a) > b')).toEqual(['write b'])
  })

  test('A8 assignments are distinguished from words', () => {
    const [command] = commandsOf('A=1 B+=2 c D=3')
    expect(command?.assignments.map(({ text }) => text)).toEqual(['A=1', 'B+=2'])
    expect(command?.words.map(({ text }) => text)).toEqual(['c', 'D=3'])
  })

  test('A8 a command whose name only looks like an assignment is not understood', () => {
    expect(parseCommandLine('"$X"A=1').kind).toBe('unparsed')
    expect(parseCommandLine('$X\\\nc=').kind).toBe('unparsed')
    expect(commandsOf('A="$X" b')[0]?.assignments).toEqual([{ text: 'A=$', certainty: 'unknown' }])
  })

  test('A8 a substitution within a word is not understood', () => {
    expect(parseCommandLine('l<()s').kind).toBe('unparsed')
    expect(parseCommandLine('a 2>(b)').kind).toBe('unparsed')
    expect(parseCommandLine('a >&-b').kind).toBe('unparsed')
  })

  test('A8 a number is a descriptor before > and a word before &>', () => {
    expect(wordsOf('a 2>b')).toEqual([['a']])
    expect(wordsOf('a 2&>b')).toEqual([['a', '2']])
  })

  test('A8 each word is marked with how much of it is known', () => {
    const [command] = commandsOf('a b src/* ./* * .* ../* -* $X "$X" ~/x ~root x~ x=~')
    expect(command?.words.map(({ text, certainty }) => `${text} ${certainty}`)).toEqual([
      'a literal',
      'b literal',
      'src/* glob',
      './* glob',
      '* unknown',
      '.* unknown',
      '../* unknown',
      '-* unknown',
      '$ unknown',
      '$ unknown',
      '~/x literal',
      '~root unknown',
      'x~ literal',
      'x=~ unknown',
    ])
  })

  test('A8 for a line that is not understood, the reason is given', () => {
    const reasonFor = (line: string) => {
      const parsed = parseCommandLine(line)
      return parsed.kind === 'unparsed' ? reasonText(parsed.reason) : parsed
    }
    expect(reasonFor("a 'b")).toBe("a ' is missing")
    expect(reasonFor('a $IFS')).toBe('it expands $IFS')
    expect(reasonFor('a; )')).toBe('")" was not expected at character 4')
  })
})

/** Each runs `c` in bash, although it is quoted. */
const expandedTwice = [
  "a >&'x$(c)'",
  "a 1>&'x$(c)'",
  'a >&\\$\\(c\\)',
  "x='$(c)'; a >& $x",
  'x=`a`; a >&"$x$(c)"',
  "test -v 'x[$(c)]'",
  "X=-v; test $X 'x[$(c)]'",
  "y='x[$(c)]'; test -v 'x[y]'",
  "printf -v 'x[$(c)]' a",
  "printf -v'x[$(c)]' a",
  "X=-v; printf $X 'x[$(c)]' a",
  "read 'x[$(c)]' <<<a",
  "let 'x[$(c)]'",
  "declare 'x[$(c)]=1'",
  "typeset 'x[$(c)]=1'",
  "declare -a x='($(c))'",
  "export -a x='($(c))'",
  "readonly -a x='($(c))'",
  "compgen -W '$(c)'",
  "RANDOM='x[$(c)]'",
  "RANDOM+='x[$(c)]'",
  "SRANDOM='x[$(c)]'",
  "OPTIND='x[$(c)]'",
  "HISTCMD='x[$(c)]'",
  "x='y[$(c)]'; OPTIND=x",
  "PS4='$(c)'; set -x; a",
  "set -x; PS4='$(c)' a",
] as const

describe('a word that the shell expands twice', () => {
  test.for(expandedTwice)('A8 makes it impossible to judge the line: %j', (line) => {
    expect(parseCommandLine(line).kind).toBe('unparsed')
  })

  test('A8 really runs what it quotes, in bash', () => {
    const folder = temporaryFolder()
    const runs = runInBash(expandedTwice, folder.path)
    const silent = expandedTwice.filter((_, at) => !runs[at]?.some(([name]) => name === 'c'))
    expect(silent).toEqual([])
  })

  test('A8 is distinguished from one that is expanded once', () => {
    const once = [
      "a '$(c)'",
      "x='$(c)' a",
      'a >&log 2>&1',
      "test -n '$x'",
      "printf '%s $5' '[$x]'",
      'RANDOM=42 a',
    ]
    for (const line of once) expect(parseCommandLine(line).kind, line).toBe('parsed')
  })
})

/** Places where a shell may look at a word again, and words that would tell. */
const evaluating = fc.constantFrom(
  ...[
    '>&',
    '1>& ',
    '2>&',
    '&>',
    '<<<',
    '< ',
    '>| ',
    '>> ',
    'test -v ',
    'test ',
    'printf -v ',
    'printf ',
    'echo ',
  ],
  ...[
    'RANDOM=',
    'OPTIND=',
    'SECONDS=',
    'HISTCMD+=',
    'PS4=',
    'X=',
    'x=',
    'export x=',
    'declare x=',
    'read ',
    ': ',
  ],
  ...[
    'unset ',
    'shift ',
    'type ',
    'cd ',
    'kill ',
    'ulimit -n ',
    'umask ',
    'hash ',
    'pwd ',
    '=',
    '-v ',
    '-eq 1',
    ' ',
  ],
)
const quotedCommands = fc.constantFrom(
  ...[
    "'$(c)'",
    "'x[$(c)]'",
    '"\\$(c)"',
    '\\$\\(c\\)',
    "'`c`'",
    "'($(c))'",
    '$x',
    '"$x"',
    "'x[y]'",
    'y',
    'a',
    "''",
  ],
  ...['; ', ' ', ' && ', ' | '],
)

/** Pieces that mean something to a shell, so that chance finds the places where they meet. */
const pieces = fc.constantFrom(
  ...[
    ' ',
    ' ',
    ' ',
    'a',
    'b',
    'c',
    'a ',
    'b ',
    ';',
    '&&',
    '||',
    '|',
    '&',
    '\n',
    '(',
    ')',
    '{ ',
    '; }',
    '$(',
    '`',
  ],
  ...[
    "'",
    '"',
    '\\',
    '$',
    '$X',
    '!',
    '#',
    '~',
    '*',
    '?',
    '[',
    ']',
    '{',
    '}',
    ',',
    '=',
    'A=',
    '-',
    '>&-',
    '2',
    '<<<',
  ],
  ...[
    'if',
    'then',
    'fi',
    'do',
    'for',
    'x',
    '\\\n',
    "$'",
    '<(',
    '<',
    '2>&1',
    '> ',
    '&>',
    '|&',
    ' X=1 ',
    '>&2',
    '\t',
    ':',
    '%',
    '^',
    '@',
    '+',
  ],
)

describe('any line', () => {
  test('A8 never makes the parser throw', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(pieces).map((all) => all.join('')),
        ),
        (line) => {
          expect(['parsed', 'unparsed']).toContain(parseCommandLine(line).kind)
        },
      ),
      { numRuns: 3000 },
    )
  })

  test('A8 of quoted words gives back the same words', () => {
    const printable = fc
      .string({ unit: 'grapheme' })
      .filter((text) => !/\p{C}|[^\P{Z} ]|\p{Default_Ignorable_Code_Point}|\u2800/u.test(text))
    fc.assert(
      fc.property(fc.array(printable), (words) => {
        expect(wordsOf(['x', ...words].map(quoteWord).join(' '))).toEqual([['x', ...words]])
      }),
      { numRuns: 1000 },
    )
  })

  test.for([
    'a;',
    '$(',
    '(',
    '`a` ',
    '"$(a)" ',
    "'",
    '\\',
    '> a ',
    'a ',
    '1',
    '"',
    '<(',
    '{ ',
    '\\\n',
    '!',
    '$',
    '~',
    '*',
  ])('A8 takes time in proportion to its length: %j', (piece) => {
    expect(growth((count) => piece.repeat(count), 10_000, parseCommandLine)).toBeLessThan(linear)
  })

  test('A8 that bash runs: each command that it runs was found', () => {
    const folder = temporaryFolder()
    const chains = fc.array(pieces, { minLength: 2, maxLength: 9 }).map((all) => `a ${all.join('')}`)
    const places = fc.array(fc.oneof(evaluating, quotedCommands), { minLength: 2, maxLength: 6 })
    const twice = places.map((all) => `y='x[$(c)]'; ${all.join('')}`)
    const lines = [
      ...fc.sample(chains, { numRuns: 8000, seed: 8 }),
      ...fc.sample(twice, { numRuns: 3000, seed: 8 }),
    ]
    const parsed = lines.flatMap((line) => {
      const result = parseCommandLine(line)
      return result.kind === 'parsed' ? [{ line, commands: result.commands }] : []
    })
    expect(parsed.length).toBeGreaterThan(300)
    const runs = runInBash(
      parsed.map(({ line }) => line),
      folder.path,
    )
    let ran = 0
    for (const [at, { line, commands }] of parsed.entries()) {
      for (const words of runs[at] ?? []) {
        ran++
        expect(
          commands.some((command) => couldBe(command, words)),
          `${JSON.stringify(line)} ran ${JSON.stringify(words)}`,
        ).toBe(true)
      }
    }
    expect(ran).toBeGreaterThan(300)
  })
})

/**
 * If every word is known: exactly these words; otherwise at least this name. `'A=b'` in quotes is a command
 * for bash and an assignment for us: both ask.
 */
function couldBe({ assignments, words }: SimpleCommand, ran: readonly string[]): boolean {
  const all = [...assignments, ...words]
  return all.slice(0, assignments.length + 1).some((_, start) => {
    const candidate = all.slice(start)
    const isKnown = candidate.every(({ text, certainty }) => certainty === 'literal' && !text.startsWith('~'))
    const texts = candidate.map(({ text }) => text)
    return isKnown ? JSON.stringify(texts) === JSON.stringify(ran) : texts[0] === ran[0]
  })
}

/**
 * The commands that bash really tries to run for each line: none exists, so all reach the handler. Bash
 * writes line by line, and the parts of a pipe write at the same time: so newlines travel as \\1.
 */
function runInBash(lines: readonly string[], cwd: string): string[][][] {
  const script = `
    PATH=/nonexistent
    command_not_found_handle() { { builtin printf '%s\\0' "$LINE_NUMBER" "$#" "\${@//$'\\n'/$'\\1'}"; } >&9; }
    LINE_NUMBER=0
    for LINE in "$@"; do ( eval "$LINE" ) </dev/null >/dev/null 2>&1; LINE_NUMBER=$((LINE_NUMBER + 1)); done
    wait`
  const output: string[][][] = lines.map(() => [])
  const chunk = 200
  for (let start = 0; start < lines.length; start += chunk) {
    const text = execFileSync(
      'bash',
      ['--norc', '-c', `exec 9>&1; ${script}`, 'x', ...lines.slice(start, start + chunk)],
      {
        cwd,
        env: {},
        encoding: 'utf8',
        timeout: 50_000,
      },
    )
    const fields = text.split('\0')
    for (let at = 0; at + 1 < fields.length; ) {
      const count = Number(fields[at + 1])
      const words = fields.slice(at + 2, at + 2 + count)
      output[start + Number(fields[at])]?.push(words.map((word) => word.replaceAll('\u0001', '\n')))
      at += 2 + count
    }
  }
  return output
}
