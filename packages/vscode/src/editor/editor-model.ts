import {
  type AgentMessage,
  callsOf,
  type JsonObject,
  type Model,
  type ModelEvent,
  type ModelFault,
  textOf,
} from '@mutsumi/schema'
import * as vscode from 'vscode'
import { editorFaultKind } from '../agent/editor-fault.js'

/** The prefix of the editor's models in settings: `vscode/copilot/gpt-4o`. */
export const editorPrefix = 'vscode/'

/** A model of the editor. The editor asks it, so we need no key. */
export async function editorModel(name: string): Promise<Model> {
  const wanted = name.slice(editorPrefix.length)
  const all = await vscode.lm.selectChatModels()
  const chat = all.find((model) => editorName(model) === name) ?? all.find(({ id }) => id === wanted)
  if (!chat) {
    const known = all.map(editorName).join(', ') || vscode.l10n.t('none')
    throw new Error(vscode.l10n.t('VS Code offers no model {0}. There are: {1}', name, known))
  }
  return {
    name: editorName(chat),
    contextWindow: chat.maxInputTokens,
    callsTools: true,
    stream: (request, { signal } = {}) => stream(chat, request, signal),
  }
}

export function editorName({ vendor, id }: Pick<vscode.LanguageModelChat, 'vendor' | 'id'>): string {
  return `${editorPrefix}${vendor}/${id}`
}

async function* stream(
  chat: vscode.LanguageModelChat,
  { messages, tools = [] }: Parameters<Model['stream']>[0],
  signal: AbortSignal | undefined,
): AsyncGenerator<ModelEvent> {
  const cancel = new vscode.CancellationTokenSource()
  const stop = () => cancel.cancel()
  signal?.addEventListener('abort', stop, { once: true })
  let output = ''
  try {
    const offered = tools.map(({ name, description, parameters }) => ({
      name,
      description,
      inputSchema: parameters,
    }))
    const response = await chat.sendRequest(
      messages.flatMap(chatMessage),
      offered.length > 0 ? { tools: offered } : {},
      cancel.token,
    )
    let hasCalls = false
    for await (const part of response.stream) {
      if (part instanceof vscode.LanguageModelTextPart) {
        output += part.value
        yield { type: 'text', text: part.value }
      } else if (part instanceof vscode.LanguageModelToolCallPart) {
        hasCalls = true
        output += JSON.stringify(part.input)
        yield { type: 'call', call: { id: part.callId, name: part.name, args: part.input as JsonObject } }
      }
    }
    yield {
      type: 'usage',
      usage: { input: await inputTokens(chat, messages), output: Math.ceil(output.length / 3) },
    }
    yield { type: 'end', reason: hasCalls ? 'calls' : 'stop' }
  } catch (error) {
    yield { type: 'fault', fault: faultOf(error, signal?.aborted ?? false) }
  } finally {
    signal?.removeEventListener('abort', stop)
    cancel.dispose()
  }
}

/** The editor reports no counts, but its tokenizer can count a text. */
async function inputTokens(
  chat: vscode.LanguageModelChat,
  messages: readonly AgentMessage[],
): Promise<number> {
  try {
    return await chat.countTokens(messages.map(textOf).join('\n'))
  } catch {
    // This model cannot count.
    return Math.ceil(messages.map(textOf).join('').length / 3)
  }
}

/** The editor has no system role, so system messages become user messages at the beginning. */
function chatMessage(message: AgentMessage): vscode.LanguageModelChatMessage[] {
  const text = textOf(message)
  switch (message.role) {
    case 'assistant': {
      const calls = callsOf(message).map(
        ({ id, name, args }) => new vscode.LanguageModelToolCallPart(id, name, args),
      )
      const words = text === '' ? [] : [new vscode.LanguageModelTextPart(text)]
      return words.length + calls.length === 0
        ? []
        : [vscode.LanguageModelChatMessage.Assistant([...words, ...calls])]
    }
    case 'tool': {
      const id = message.metadata?.call_id
      if (typeof id !== 'string') return [vscode.LanguageModelChatMessage.User(text)]
      const result = new vscode.LanguageModelToolResultPart(id, [new vscode.LanguageModelTextPart(text)])
      return [vscode.LanguageModelChatMessage.User([result])]
    }
    case 'system':
    case 'user':
      return text === '' ? [] : [vscode.LanguageModelChatMessage.User(userParts(message, text))]
    default:
      return message.role satisfies never
  }
}

/** Pictures go with the message if this version of the editor accepts them. */
function userParts(
  { content }: AgentMessage,
  text: string,
): Parameters<typeof vscode.LanguageModelChatMessage.User>[0] {
  const { LanguageModelDataPart: DataPart } = vscode as unknown as {
    readonly LanguageModelDataPart?: { image(data: Uint8Array, type: string): vscode.LanguageModelTextPart }
  }
  if (typeof content === 'string' || DataPart === undefined) return text
  return content.map((part) => {
    if (part.type === 'text') return new vscode.LanguageModelTextPart(part.text)
    const [, type = '', data = ''] = /^data:([^;]+);base64,(.*)$/s.exec(part.image_url.url) ?? []
    return type === ''
      ? new vscode.LanguageModelTextPart(part.image_url.url)
      : DataPart.image(Buffer.from(data, 'base64'), type)
  })
}

function faultOf(error: unknown, isCancelled: boolean): ModelFault {
  const said = error instanceof Error ? error.message : String(error)
  if (isCancelled) return { kind: 'cancelled', message: 'cancelled' }
  const name = error instanceof Error ? error.name : ''
  const code = error instanceof vscode.LanguageModelError ? error.code : ''
  const kind = editorFaultKind({ name, code, message: said })
  return { kind, message: adviceOf(kind, said) }
}

/** Says what a person can do about it. */
function adviceOf(kind: ModelFault['kind'], said: string): string {
  switch (kind) {
    case 'auth':
      return vscode.l10n.t(
        'VS Code did not let Mutsumi use this model: {0} Run the cell again and allow it, or select another model.',
        said,
      )
    case 'quota':
      return vscode.l10n.t(
        'The quota of this model is used up: {0} Wait, or select another model with "Mutsumi: Select Model".',
        said,
      )
    case 'rate-limit':
      return vscode.l10n.t('This model takes no more requests right now: {0} Run the cell again later.', said)
    case 'content-filter':
      return vscode.l10n.t('The model refused the request: {0}', said)
    case 'not-found':
      return vscode.l10n.t('VS Code no longer offers this model: {0} Select another model.', said)
    default:
      return said
  }
}
