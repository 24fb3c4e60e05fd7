import { type ModelFault, type Phrase, phrase, phraseText } from '@mutsumi/schema'

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
  // The choice of a model.
  'or-offline': '{0!} --model offline answers without one.',
  'needs-key': '{0} needs a key: set {1}.',
  'needs-key-other': '{0} needs a key: set {1}. The key that is set ({2}) is for another model or address.',
  'needs-server': '{0} needs the address of its server: --base-url.',
  'needs-address': '{0} needs {1}.',
  'no-provider':
    'The model {0} has no known provider. Write provider/name with one of {1}; a server of your own also needs --base-url.',
  'no-model-name': 'The model {0} has no name after its provider.',
} as const satisfies Readonly<Record<string, string>>

export type FaultCode = keyof typeof englishFaults
export type FaultTemplates = Readonly<Record<FaultCode, string>>

/** The message of a fault, as text and as data. */
export function faultWords(
  code: FaultCode,
  ...args: readonly (string | number | Phrase)[]
): Pick<ModelFault, 'message' | 'phrase'> {
  const said = phrase(code, ...args)
  return { message: phraseText(said, englishFaults), phrase: said }
}

/** Part of a message. */
export function faultPhrase(code: FaultCode, ...args: readonly (string | number | Phrase)[]): Phrase {
  return phrase(code, ...args)
}

/** The same fault with each of its texts changed, such as to remove secrets. */
export function withTexts(fault: ModelFault, change: (text: string) => string): ModelFault {
  const { phrase: said, message } = fault
  return { ...fault, message: change(message), ...(said && { phrase: phraseWith(said, change) }) }
}

function phraseWith({ code, args }: Phrase, change: (text: string) => string): Phrase {
  return { code, args: args.map((arg) => (typeof arg === 'string' ? change(arg) : phraseWith(arg, change))) }
}
