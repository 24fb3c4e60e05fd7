import { type ModelFault, type Phrase, phrase, phraseText, type WordedPhrase } from '@mutsumi/schema'

/** The words of faults. People read them in their own language; records and programs have the English ones. */
export const englishFaults = {
  refused: '{0} {1!} ({2!}){3!}.{4!}{5!}',
  nothing: '',
  said: ': {0!}',
  'a-page': 'an HTML page',
  'points-to': 'it points to {0}',
  'status-from': '{0} from {1}',
  'while-answering': 'while it answered',
  'wait-until': ' It asks to wait until {0} UTC.',
  'does-auth': 'refused the key',
  'does-quota': 'has no credit or quota left for this account',
  'does-rate-limit': 'limits the number of requests',
  'does-overloaded': 'is overloaded or failed',
  'does-timeout': 'ran out of time',
  'does-not-found': 'does not know the requested model or address',
  'does-context-too-long': 'does not accept a request this long',
  'does-content-filter': 'filtered the request',
  'does-malformed': 'sent a web page instead of an answer',
  'does-refuse': 'refused the request',
  'check-key': ' Check the key in {0}.',
  'set-key': ' No key was sent: set {0}.',
  'add-credit': ' Add credit, wait until the quota is renewed, or choose another model with --model.',
  'try-later': ' Try again later, or choose another model with --model.',
  'check-name': " Check the model's name ({0}).",
  'check-name-and-address': " Check the model's name ({0}) and the base URL, which usually ends in /v1.",
  'make-room': ' Begin a new session, drop items, or choose a model with a larger context window.',
  'check-proxy': ' Something between you and the model answered: check the base URL and the proxy.',
  'not-listening': 'Nothing listens on {0}: is the server running? Start it, or check the base URL.',
  'unknown-host': 'The host {0} is not known: check the base URL and the network.',
  certificate:
    'The certificate of {0} is not accepted ({1}). If a proxy or your company signs it, set NODE_EXTRA_CA_CERTS to its certificate.',
  'not-tls': '{0} does not use TLS as expected: check whether the base URL needs http or https.',
  'closed-early': '{0} closed the connection before its answer was complete.',
  'no-connection': 'No connection to {0} ({1}): check the network.',
  'not-http': 'answered with something that is not HTTP ({0})',
  'not-a-model-server':
    '{0} {1!}: this is not a model server. Check the base URL (most end in /v1), http or https, and whether a proxy or a login page is in between.',
  unreadable: 'The reply from {0} could not be read: {1}',
  'cut-off': 'The connection to {0} ended before its reply was complete. The text so far may be incomplete.',
  'stopped-early': '{0} stopped its reply early. Try again.',
  'stopped-early-because': '{0} stopped its reply early ({1}). Try again.',
  'nameless-call': 'The model at {0} called a tool without naming it. Nothing was run. Ask again.',
  'broken-call':
    'The model at {0} called {1} with arguments that are not complete JSON. Nothing was run. Ask again.',
  'only-thought': '{0} thought and gave no answer. Ask again, or choose another model with --model.',
  'empty-answer': '{0} gave an empty answer. Ask again, or choose another model with --model.',
  'not-a-reply':
    '{0} sent something that is not a reply: its stream of events cannot be read. Check that the base URL belongs to a model server, and check any proxy in between.',
  connectMs: 'No connection to {0} within {1} s: check the network and the base URL.',
  firstByteMs:
    '{0} accepted the request but sent nothing within {1} s. It may be busy, or the model is still loading; timeouts.firstByteMs sets how long to wait.',
  firstContentMs:
    '{0} began to answer but sent no content within {1} s. It may be busy; timeouts.firstContentMs sets how long to wait.',
  idleMs:
    '{0} stopped in the middle of its answer: it sent no content for {1} s. timeouts.idleMs sets how long to wait.',
  endingMs: '{0} did not end its answer within {1} s.',
  'unknown-compression': 'The answer has an unknown compression: {0}.',
  'not-decompressed': 'The answer of {0} could not be decompressed ({1}).',
  'no-longer-http': 'The answer of {0} stopped being valid HTTP ({1}).',
  'answer-too-long': 'The answer of {0} is longer than {1} MiB.',
  'unsupported-proxy': '{0} names an unsupported proxy: only http:// proxies are supported.',
  'proxy-failed': 'The proxy {0} could not connect to {1}: {2}.',
  'not-an-address': 'The base URL is not an http or https address: {0}',
  'server-answers': 'the server answers with {0}',
  'no-answer-within': 'no answer within {0} s',
  // The choice of a model.
  'source-flag': 'flag',
  'source-environment': 'environment',
  'source-user': 'user config',
  'source-project': 'project config',
  'bad-setting': 'The setting `{0}` ({1!}) must be {2!}.',
  'form-model': 'a text such as anthropic/claude-sonnet-4-5',
  'form-address': 'an address such as http://127.0.0.1:11434/v1',
  'form-key': 'a text without spaces',
  'form-tokens': 'a whole number of tokens',
  'nameless-model': 'The model {0} has no name after its provider.',
  'unknown-provider':
    'The model {0} has no known provider. Write provider/name with one of {1}; a server of your own also needs --base-url.',
  'empty-model': '{0!} is empty: name a model, such as openai/gpt-5; --model offline answers without one.',
  'your-model-setting': 'The setting `model` of your config',
  'project-model-setting': 'The setting `model` of .mutsumi/config.json',
  'address-without-model':
    'A base URL is set ({0!}), but no model: name one with --model openai-compatible/NAME; --model offline answers without one.',
  'key-without-model':
    'A key is set ({0!}), but no model: name one with --model PROVIDER/NAME; --model offline answers without one.',
  'needs-address': '{0} needs {1!}.',
  'azure-address':
    'its resource: set AZURE_RESOURCE_NAME (NAME in https://NAME.openai.azure.com) or AZURE_OPENAI_ENDPOINT',
  'azure-version': 'AZURE_API_VERSION names a dated version, if yours is not v1',
  'server-address': 'the address of its server: --base-url',
  'needs-key': '{0} needs a key: {1!}',
  'address-of-project':
    'its address comes from the project (.mutsumi/config.json), which gets none of your keys. To use a key there, give the address yourself with --base-url.',
  'key-stays-home': "set MUTSUMI_API_KEY. {0} is not {1}'s own address, and {2!} is sent only to that one.",
  'set-variable': 'set {0!}.',
  'set-variable-held': 'set {0!}. The key that is set ({1!}) is for another model or address.',
  'a-key': 'a key: set {0!}',
  'missing-both': '{0!}; {1!}',
  'either-variable': '{0} or {1!}',
  'unknown-effort': '{0} does not know the reasoning effort {1}; it knows {2}',
} as const satisfies Readonly<Record<string, string>>

export type FaultCode = keyof typeof englishFaults
export type FaultTemplates = Readonly<Record<FaultCode, string>>

/** The message of a fault, as text and as data. */
export function faultWords(code: FaultCode, ...args: readonly (string | number | Phrase)[]): WordedPhrase {
  const said = phrase(code, ...args)
  return { message: phraseText(said, englishFaults), phrase: said }
}

/** Part of a message. */
export function faultPhrase(code: FaultCode, ...args: readonly (string | number | Phrase)[]): Phrase {
  return phrase(code, ...args)
}

/** `A or B or C`. */
export function eitherOf([first = '', ...others]: readonly string[]): string | Phrase {
  return others.length === 0 ? first : faultPhrase('either-variable', first, eitherOf(others))
}

/** The same fault with each of its texts changed, such as to remove secrets. */
export function withTexts(fault: ModelFault, change: (text: string) => string): ModelFault {
  const { phrase: said, message } = fault
  return { ...fault, message: change(message), ...(said && { phrase: phraseWith(said, change) }) }
}

function phraseWith({ code, args }: Phrase, change: (text: string) => string): Phrase {
  return { code, args: args.map((arg) => (typeof arg === 'string' ? change(arg) : phraseWith(arg, change))) }
}
