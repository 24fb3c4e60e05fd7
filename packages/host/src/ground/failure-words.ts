import {
  type ModelFault,
  type Phrase,
  type PhraseTemplates,
  phrase,
  type WordedMessage,
  wordedIn,
} from '@mutsumi/schema'

/** The words of failures that a host finds itself: in settings, rules, and the choice of a model. */
export const englishFailures = {
  'about-place': '{0}: {1!}',
  // Settings.
  'takes-one-of': 'takes {0!}, not "{1}"',
  'either-value': '{0} or {1!}',
  'takes-whole-number': 'takes a whole number from {0}, not "{1}"',
  'takes-at-most': 'takes at most {0} (24 days), not "{1}"',
  'takes-number': 'takes a number from 0, not "{0}"',
  'takes-number-between': 'takes a number from {0} to {1}, not "{2}"',
  'takes-share': 'takes a share between 0 and 1, not "{0}"',
  'takes-share-or-tokens': 'takes a share between 0 and 1, or tokens from 1000 on ("80k"), not "{0}"',
  'takes-rounds-or-tokens': 'takes rounds from 1 on ("10"), or tokens from 1000 on ("20k"), not "{0}"',
  'takes-tokens': 'takes a whole number from 1, or thousands ("80k"), not "{0}"',
  'takes-file-names': 'takes names of files at the root, not "{0}"',
  'unknown-setting': 'unknown setting "{0}"; there are {1}',
  'unknown-setting-near': 'unknown setting "{0}"; did you mean {1}?',
  'setting-without-value': '-c takes key=value; {0} has no value',
  'goal-above-start': '{0} is above compactAt, {1}. A compaction must end below the point where it begins',
  'unknown-variables': 'unknown variables in the environment: {0!}',
  'near-variable': '{0}: did you mean {1}?',
  'near-variables': '{0}: did you mean {1}? {2!}',
  // Config files.
  'config-unread': '{0} cannot be read: it {1!}',
  'config-not-json': '{0} is not valid JSON: {1}',
  'config-not-object': '{0} must contain a JSON object',
  'config-is-folder': '{0} is a folder, but a config must be a file',
  'config-empty-folder': 'mutsumi: {0} is an empty folder, not a config file. To remove it: rmdir {0}',
  'config-outside': '{0} leads out of the workspace, so nothing is written there',
  'setting-not-object': '{0} is not an object in the config, so it has no {1}',
  'prices-not-object': '{0}: modelPrices must be an object: {"provider/name": [{from, input, output}]}',
  'prices-not-list':
    '{0}: modelPrices: {1}: must be a list of {from: "2026-01-31", input, output, cached?, written?}',
  'config-in-workspace':
    "the config folder {0} is in the workspace {1}: a project's files never count as your own; set MUTSUMI_CONFIG_DIR or HOME to a folder elsewhere",
  'config-in-project':
    "the config folder {0} is in the same project as the workspace {1}: a project's files never count as your own; if it is yours, set MUTSUMI_CONFIG_DIR to it, else set HOME to your own folder",
  'config-of-another-user':
    'the config folder {0} belongs to another user; if you want to use it, set MUTSUMI_CONFIG_DIR to it, else set HOME to your own folder',
  // Models.
  'with-offline': '{0!} --model offline answers without one.',
  'or-another-model': '{0!} Or choose another model with --model.',
  'no-model':
    'no model is configured: --model provider/name, MUTSUMI_MODEL, "model" in a config, or the key of a provider.{0!} --model offline answers without one.',
  'nothing-configured': 'no model is configured',
  'empty-key': ' {0} is set, but empty.',
  'empty-keys': ' {0} are set, but empty.',
  'offline-answers':
    'No model is configured: the built-in offline model answers by searching and reading.{0!} {1!}',
  'name-another': 'To use another: --model provider/name or MUTSUMI_MODEL.',
  'server-here': '{0} runs on this machine. To use it: {1}',
  'key-refused': 'the key is refused ({0})',
  'script-unnamed': 'scripted: needs a file: --model scripted:FILE',
  'script-missing': 'scripted:{0}: there is no such file. --model scripted:FILE plays a script',
  'script-irregular': 'scripted:{0}: it is not a regular file. --model scripted:FILE plays a script',
  // Tools of servers.
  'no-such-server-tool': '{0}: the server has no such tool; it has {1}',
  'near-server-tool': '{0}: the server has no such tool; did you mean {1}?',
} as const

export type FailureTemplates = PhraseTemplates<keyof typeof englishFailures>

/** The message of a failure, as text and as data. */
export const failureWords = wordedIn(englishFailures)

/** A message with what it is about: `-c mode: takes …`. */
export function aboutPlace(place: string, { message, phrase: said }: WordedMessage): WordedMessage {
  return { message: `${place}: ${message}`, phrase: phrase('about-place', place, said ?? message) }
}

/** A fault of the model's settings, with another way out. */
export function orAnotherModel({ message, phrase: said, ...fault }: ModelFault): ModelFault {
  const words = failureWords('or-another-model', message)
  return { ...fault, ...words, phrase: phrase('or-another-model', said ?? message) }
}

/** `plan or ask or auto`. */
export function eitherValue([first = '', ...others]: readonly string[]): string | Phrase {
  return others.length === 0 ? first : phrase('either-value', first, eitherValue(others))
}
