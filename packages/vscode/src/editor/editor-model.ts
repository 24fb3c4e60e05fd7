import {
  type AgentMessage,
  callsOf,
  type JsonObject,
  type Model,
  type ModelEvent,
  textOf,
} from '@mutsumi/schema'
import * as vscode from 'vscode'

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

function faultOf(error: unknown, isCancelled: boolean): Extract<ModelEvent, { type: 'fault' }>['fault'] {
  const message = error instanceof Error ? error.message : String(error)
  if (isCancelled) return { kind: 'cancelled', message: 'cancelled' }
  if (!(error instanceof vscode.LanguageModelError)) return { kind: 'network', message }
  switch (error.code) {
    case vscode.LanguageModelError.NoPermissions.name:
      return {
        kind: 'auth',
        message: vscode.l10n.t('VS Code did not let Mutsumi use this model: {0}', message),
      }
    case vscode.LanguageModelError.Blocked.name:
      return {
        kind: 'quota',
        message: vscode.l10n.t('The model refused the request, or its quota is used up: {0}', message),
      }
    case vscode.LanguageModelError.NotFound.name:
      return { kind: 'not-found', message }
    default:
      return { kind: 'network', message }
  }
}
