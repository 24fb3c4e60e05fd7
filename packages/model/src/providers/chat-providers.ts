import { faultPhrase } from '../faults/fault-words.js'
import type { Environment } from '../wire/environment.js'
import type { ChatProviderName, Provider } from './provider.js'

/** Values that all of them share. */
const chat = {
  families: /^$/,
  maxStops: 4,
  load: async () => (await import('../chat/chat-model.js')).openChatModel(),
} as const

/** A server on this machine. */
const local = { ...chat, needsNoKey: true, oneSystemMessage: true, keyVariables: [] } as const

/** All providers with chat completions, by the names that `--model` accepts. */
export const chatProviders: Readonly<Record<ChatProviderName, Provider>> = {
  ollama: {
    ...local,
    name: 'ollama',
    baseUrl: 'http://127.0.0.1:11434/v1',
    addressIn: ollamaAddress,
    example: 'qwen3',
  },
  lmstudio: { ...local, name: 'lmstudio', baseUrl: 'http://127.0.0.1:1234/v1', example: 'qwen/qwen3-8b' },
  openrouter: {
    ...chat,
    name: 'openrouter',
    oneSystemMessage: true,
    baseUrl: 'https://openrouter.ai/api/v1',
    keyVariables: ['OPENROUTER_API_KEY'],
    keyStaysHome: true,
    example: 'anthropic/claude-sonnet-4.5',
  },
  deepseek: {
    ...chat,
    name: 'deepseek',
    baseUrl: 'https://api.deepseek.com/v1',
    // It keeps what was sent on disk for hours.
    cache: { minutes: 120 },
    keyVariables: ['DEEPSEEK_API_KEY'],
    keyStaysHome: true,
    example: 'deepseek-chat',
  },
  groq: {
    ...chat,
    name: 'groq',
    oneSystemMessage: true,
    baseUrl: 'https://api.groq.com/openai/v1',
    keyVariables: ['GROQ_API_KEY'],
    keyStaysHome: true,
    example: 'openai/gpt-oss-120b',
  },
  mistral: {
    ...chat,
    name: 'mistral',
    baseUrl: 'https://api.mistral.ai/v1',
    keyVariables: ['MISTRAL_API_KEY'],
    keyStaysHome: true,
    tellsUsage: true,
    example: 'mistral-large-latest',
  },
  azure: {
    ...chat,
    name: 'azure',
    keyVariables: ['AZURE_API_KEY', 'AZURE_OPENAI_API_KEY'],
    keyStaysHome: true,
    keyHeader: 'api-key',
    addressIn: azureAddress,
    addressAdvice: faultPhrase('missing-both', faultPhrase('azure-address'), faultPhrase('azure-version')),
    example: 'DEPLOYMENT',
  },
  'openai-compatible': {
    ...chat,
    name: 'openai-compatible',
    oneSystemMessage: true,
    keyVariables: [],
    needsNoKey: true,
    addressAdvice: faultPhrase('server-address'),
    example: 'NAME',
  },
}

/**
 * `OLLAMA_HOST` may be `gpu`, `gpu:1234`, `:1234` or an address. A server that listens on all interfaces is reached
 * through localhost.
 */
function ollamaAddress({ OLLAMA_HOST: given = '' }: Environment): string | undefined {
  const text = given.trim()
  if (text === '') return undefined
  const address = /^https?:\/\//i.test(text)
    ? text
    : `http://${text.startsWith(':') ? `127.0.0.1${text}` : text}`
  if (!URL.canParse(address)) return undefined
  const { protocol, hostname, port, pathname } = new URL(address)
  const host = hostname === '0.0.0.0' || hostname === '[::]' ? '127.0.0.1' : hostname
  const usualPort = /^https?:\/\//i.test(text) ? '' : ':11434'
  return `${protocol}//${host}${port === '' ? usualPort : `:${port}`}${pathname.replace(/\/+$/, '')}/v1`
}

/** Dated versions have an address for each deployment; `v1` has one for all of them. */
function azureAddress(variables: Environment, deployment: string): string | undefined {
  const value = (name: string) => variables[name]?.trim() ?? ''
  const resource = value('AZURE_RESOURCE_NAME')
  const named = /^[a-z\d-]+$/i.test(resource) ? `https://${resource}.openai.azure.com` : ''
  const endpoint = (value('AZURE_OPENAI_ENDPOINT') || named).replace(/\/+$/, '')
  if (!URL.canParse(endpoint)) return undefined
  const version = value('AZURE_API_VERSION') || value('OPENAI_API_VERSION') || 'v1'
  if (!/^\d{4}-/.test(version)) return `${endpoint}/openai/v1`
  const path = `openai/deployments/${encodeURIComponent(deployment)}`
  return `${endpoint}/${path}?api-version=${encodeURIComponent(version)}`
}
