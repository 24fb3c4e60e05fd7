import type { ModelFaultKind } from '@mutsumi/schema'

/** An act that may mend a failed round. Each is a button below it. */
export type Remedy = 'again' | 'model' | 'key'

/** The acts for a model that failed. Others need another prompt. */
export function remediesFor(kind: ModelFaultKind): readonly Remedy[] {
  switch (kind) {
    case 'auth':
    case 'configuration':
      return ['key', 'model']
    case 'quota':
    case 'not-found':
      return ['model']
    case 'rate-limit':
    case 'overloaded':
    case 'timeout':
    case 'network':
      return ['again', 'model']
    case 'malformed':
      return ['again']
    default:
      return []
  }
}

/**
 * A message without advice for a terminal. Clauses that name a flag or a variable go, because buttons say the same here;
 * `with --model` goes alone.
 */
export function withoutFlags(message: string): string {
  if (!forTerminal.test(message)) return message
  const clauses = message
    .replace(/\s*(?:with|用|使用|通过)?\s*`?--model`?(?=\s*[.。])|用 --model (?=选择)/g, '')
    .split(/(?<=[.;:：；。])(?=\s|$|-|\p{Script=Han})/u)
  const kept = clauses.filter((clause) => !forTerminal.test(clause)).join('')
  return (
    kept
      .trim()
      .replace(/[:;,]$/, '.')
      .replace(/[：；，]$/u, '。') || message
  )
}

/** A flag, a variable for a key, or the command itself. */
const forTerminal = /(?:^|[\s`(（：:。；])--[a-z][\w-]*|\b[A-Z][A-Z0-9]*_API_KEY\b|\bMUTSUMI_[A-Z_]+\b/
