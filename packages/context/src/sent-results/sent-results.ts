import type { AgentMessage } from '@mutsumi/schema'
import { toolNameOf } from '@mutsumi/schema'
import type { ContextSettings } from '../ground/settings.js'
import { escapeTagsInJson } from '../text/tags.js'
import { resultText } from './result-text.js'
import type { LineNumbers } from './text-rule.js'

/** The form of results in requests: text, or the recorded JSON. */
export interface ResultSettings {
  readonly form: 'text' | 'json'
  readonly numbers: LineNumbers
}

/** The name of a form in a request's record: a replay renders the recorded result by it. */
export type ResultForm = 'text' | 'text-unnumbered' | 'json'

/** Sessions record the name of a form. If its output changes after a release, it needs a new name. */
const forms: Readonly<Record<ResultForm, (result: RecordedText) => string>> = {
  text: ({ tool, content }) => resultText(tool, content, 'lines'),
  'text-unnumbered': ({ tool, content }) => resultText(tool, content, 'none'),
  // As recorded, but with our tags escaped in tool output.
  json: ({ content }) => escapeTagsInJson(content),
}

/** A recorded result as it was sent in a request with this form; undefined for an unknown form. */
export function renderResult(form: string, result: RecordedText): string | undefined {
  return isForm(form) ? forms[form](result) : undefined
}

export interface RecordedText {
  readonly tool: string
  readonly content: string
}

function isForm(form: string): form is ResultForm {
  return Object.hasOwn(forms, form)
}

/** Results in the form that the settings choose. */
export function sentResults({ results, read }: Pick<ContextSettings, 'results' | 'read'>): SentResults {
  return new SentResults({ ...results, ...read })
}

/**
 * Results as they are sent, and the records they came from. The same message becomes the same object as long as anybody
 * holds that: records live as long as their session, but most of them are no longer sent.
 */
export class SentResults {
  readonly form: ResultForm
  readonly #sent = new WeakMap<AgentMessage, WeakRef<AgentMessage>>()

  constructor({ form, numbers }: ResultSettings) {
    this.form = form === 'json' ? 'json' : numbers === 'lines' ? 'text' : 'text-unnumbered'
  }

  /** `message` as it is sent. Only results differ from their records. */
  sent(message: AgentMessage): AgentMessage {
    if (message.role !== 'tool' || typeof message.content !== 'string') return message
    if (message instanceof RenderedResult) return message
    const known = this.#sent.get(message)?.deref()
    if (known) return known
    const content = this.text({ tool: toolNameOf(message), content: message.content })
    const sent = content === message.content ? message : new RenderedResult(message, content)
    this.#sent.set(message, new WeakRef(sent))
    return sent
  }

  /** A recorded result in the form that is sent. */
  text(result: RecordedText): string {
    return forms[this.form](result)
  }

  /** The recorded message that a sent one was made from. */
  recorded(message: AgentMessage): AgentMessage {
    return message instanceof RenderedResult ? message.record : message
  }
}

/** A result as it is sent. It knows its record; a copy of it does not, nor does its JSON. */
class RenderedResult implements AgentMessage {
  readonly role: AgentMessage['role']
  readonly content: string
  declare readonly metadata?: Readonly<Record<string, unknown>>
  readonly #record: AgentMessage

  constructor(record: AgentMessage, content: string) {
    this.role = record.role
    this.content = content
    if (record.metadata) this.metadata = record.metadata
    this.#record = record
    Object.freeze(this)
  }

  get record(): AgentMessage {
    return this.#record
  }
}
