import type { ModelFaultKind } from '@mutsumi/schema'

/** A failed request to one of VS Code's own models, as VS Code reports it. */
export interface EditorFailure {
  readonly name: string
  /** `NoPermissions`, `Blocked` or `NotFound`; others, and none, are possible. */
  readonly code: string
  readonly message: string
}

/** The kind of a failure. VS Code has codes for three kinds. Providers report the others by a name or in words. */
export function editorFaultKind({ name, code, message }: EditorFailure): ModelFaultKind {
  if (/NoPermissions/.test(code)) return 'auth'
  if (/NotFound/.test(code)) return 'not-found'
  if (/RateLimit/i.test(name) || /rate.?limit|too many requests/i.test(message)) return 'rate-limit'
  if (/Quota/i.test(name) || /quota|allowance|premium requests/i.test(message)) return 'quota'
  if (/too long|token limit|maximum.{0,20}tokens|context length/i.test(message)) return 'context-too-long'
  if (/Blocked/.test(code)) return 'content-filter'
  return 'network'
}
