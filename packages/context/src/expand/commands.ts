export const operators = ['IS', 'ISNT', 'CONTAINS', 'DOESNT_CONTAIN', 'MATCHES', 'DOESNT_MATCH'] as const
export type Operator = (typeof operators)[number]

export type Operand =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'string'; readonly value: string }

export interface Condition {
  readonly left: string
  readonly operator: Operator
  readonly right: Operand
}

/** A preprocessor command, read. */
export type Command =
  | { readonly type: 'define'; readonly name: string; readonly value: string }
  | { readonly type: 'undef'; readonly name: string }
  | { readonly type: 'ifdef' | 'ifndef'; readonly name: string }
  | { readonly type: 'if' | 'elif'; readonly condition: Condition }
  | { readonly type: 'else' }
  | { readonly type: 'endif' }

export type Keyword = Command['type']

/** What stands at an `@{`. `end` is the offset behind it. */
export type CommandParse =
  | { readonly kind: 'command'; readonly command: Command; readonly end: number }
  | { readonly kind: 'malformed'; readonly keyword: Keyword; readonly problem: string; readonly end: number }
  | { readonly kind: 'unknown'; readonly name: string; readonly end: number }
  | { readonly kind: 'unclosed'; readonly end: number }

type Token =
  | { readonly kind: 'word'; readonly text: string }
  | { readonly kind: 'string'; readonly text: string }
  | { readonly kind: 'comma' }
  | { readonly kind: 'other'; readonly text: string }

/**
 * Reads the command that begins at `start`.
 *
 *     @{if VERSION MATCHES "^1\\."}
 *     ^ start                     ^ end
 */
export function parseCommand(text: string, start: number): CommandParse {
  const read = readTokens(text, start + 2)
  if (!read) return { kind: 'unclosed', end: start + 2 }
  const { tokens, end } = read
  const [first, ...rest] = tokens
  if (first?.kind !== 'word' || !isKeyword(first.text))
    return { kind: 'unknown', name: first && 'text' in first ? first.text : '', end }
  const command = grammar[first.text](rest)
  return typeof command === 'string'
    ? { kind: 'malformed', keyword: first.text, problem: command, end }
    : { kind: 'command', command, end }
}

/** Each keyword's arguments: the command they make, or what is wrong with them. */
const grammar: Record<Keyword, (tokens: readonly Token[]) => Command | string> = {
  define: ([name, comma, value, ...rest]) =>
    name?.kind === 'word' && comma?.kind === 'comma' && value?.kind === 'string' && rest.length === 0
      ? { type: 'define', name: name.text, value: value.text }
      : 'write @{define NAME, "value"}',
  undef: (tokens) => named(tokens, (name) => ({ type: 'undef', name }), 'write @{undef NAME}'),
  ifdef: (tokens) => named(tokens, (name) => ({ type: 'ifdef', name }), 'write @{ifdef NAME}'),
  ifndef: (tokens) => named(tokens, (name) => ({ type: 'ifndef', name }), 'write @{ifndef NAME}'),
  if: (tokens) => conditional('if', tokens),
  elif: (tokens) => conditional('elif', tokens),
  else: (tokens) => (tokens.length === 0 ? { type: 'else' } : 'else takes no arguments'),
  endif: (tokens) => (tokens.length === 0 ? { type: 'endif' } : 'endif takes no arguments'),
}

function named(tokens: readonly Token[], make: (name: string) => Command, problem: string): Command | string {
  const [name] = tokens
  return tokens.length === 1 && name?.kind === 'word' ? make(name.text) : problem
}

function conditional(type: 'if' | 'elif', tokens: readonly Token[]): Command | string {
  const [left, operator, right] = tokens
  const problem = `write @{${type} NAME OPERATOR "value"} with one of ${operators.join(', ')}`
  if (tokens.length !== 3 || left?.kind !== 'word' || operator?.kind !== 'word') return problem
  if (!isOperator(operator.text)) return problem
  if (right?.kind === 'string')
    return conditionOf(type, left.text, operator.text, { kind: 'string', value: right.text })
  if (right?.kind === 'word')
    return conditionOf(type, left.text, operator.text, { kind: 'name', name: right.text })
  return problem
}

function conditionOf(type: 'if' | 'elif', left: string, operator: Operator, right: Operand): Command {
  return { type, condition: { left, operator, right } }
}

function isKeyword(word: string): word is Keyword {
  return Object.hasOwn(grammar, word)
}

function isOperator(word: string): word is Operator {
  return (operators as readonly string[]).includes(word)
}

const token = /[ \t]+|([A-Za-z_][A-Za-z0-9_]*)|"((?:[^"\\\n]|\\[^\n])*)"|(,)|(\})|([^\s"\\@}]|@(?!\{))/y

/**
 * The tokens up to the closing brace. Gives up at a line end, at a backslash outside a string and at the
 * next `@{`: that keeps any number of unclosed commands linear.
 */
function readTokens(text: string, from: number): { tokens: Token[]; end: number } | undefined {
  const tokens: Token[] = []
  token.lastIndex = from
  for (;;) {
    const match = token.exec(text)
    if (!match) return undefined
    const [, word, string, comma, close, other] = match
    if (close !== undefined) return { tokens, end: token.lastIndex }
    if (word !== undefined) tokens.push({ kind: 'word', text: word })
    else if (string !== undefined) tokens.push({ kind: 'string', text: unescapeString(string) })
    else if (comma !== undefined) tokens.push({ kind: 'comma' })
    else if (other !== undefined) tokens.push({ kind: 'other', text: other })
  }
}

/** Strings know `\"` and `\\`; any other backslash is itself, so `"^1\."` is a pattern too. */
function unescapeString(text: string): string {
  return text.includes('\\') ? text.replace(/\\(["\\])/g, '$1') : text
}
