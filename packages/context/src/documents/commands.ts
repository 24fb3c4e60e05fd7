import { closingQuote } from '../text/quoted.js'

const operators = ['IS', 'ISNT', 'CONTAINS', 'DOESNT_CONTAIN', 'MATCHES', 'DOESNT_MATCH'] as const
export type Operator = (typeof operators)[number]

export type Operand =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'string'; readonly value: string }

export interface Condition {
  readonly left: string
  readonly operator: Operator
  readonly right: Operand
}

/** A parsed preprocessor command. */
export type Command =
  | { readonly type: 'define'; readonly name: string; readonly value: string }
  | { readonly type: 'undef'; readonly name: string }
  | { readonly type: 'ifdef' | 'ifndef'; readonly name: string }
  | { readonly type: 'if' | 'elif'; readonly condition: Condition }
  | { readonly type: 'else' }
  | { readonly type: 'endif' }

export type Keyword = Command['type']

/** The parsed text at an `@{`. `end` is the offset after it. */
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

/** Parses each keyword's arguments: returns the command, or what is wrong. */
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

const token = /[ \t]+|([A-Za-z_][A-Za-z0-9_]*)|(")|(,)|(\})|([^\s"\\@}]|@(?!\{))/y
/** One more than the longest command has. Later tokens are skipped. */
const mostTokens = 5

/**
 * The tokens up to the closing brace. Gives up at a line end, at a backslash outside a string and at the
 * next `@{`: that keeps any number of unclosed commands linear.
 */
function readTokens(text: string, from: number): { tokens: Token[]; end: number } | undefined {
  const tokens: Token[] = []
  for (let at = from; ; ) {
    const next = readToken(text, at)
    if (!next) return undefined
    if (next.token === 'close') return { tokens, end: next.end }
    if (next.token && tokens.length < mostTokens) tokens.push(next.token)
    at = next.end
  }
}

/** The token at an offset, without one at blanks; undefined if no command can continue there. */
function readToken(text: string, at: number): { token?: Token | 'close'; end: number } | undefined {
  token.lastIndex = at
  const match = token.exec(text)
  if (!match) return undefined
  const [, word, quote, comma, close, other] = match
  const end = token.lastIndex
  if (word !== undefined) return { token: { kind: 'word', text: word }, end }
  if (quote !== undefined) return readString(text, at)
  if (comma !== undefined) return { token: { kind: 'comma' }, end }
  if (close !== undefined) return { token: 'close', end }
  return other === undefined ? { end } : { token: { kind: 'other', text: other }, end }
}

function readString(text: string, opening: number): { token: Token; end: number } | undefined {
  const closing = closingQuote(text, opening)
  if (closing === undefined) return undefined
  const string = unescapeString(text.slice(opening + 1, closing))
  return { token: { kind: 'string', text: string }, end: closing + 1 }
}

/** Strings support `\"` and `\\`. Any other backslash is literal, so `"^1\."` is a pattern too. */
function unescapeString(text: string): string {
  return text.includes('\\') ? text.replace(/\\(["\\])/g, '$1') : text
}
