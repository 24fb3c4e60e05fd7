import type { JsonObject } from '@mutsumi/schema'
import { quoteWord } from '../command-line/shell-word.js'
import { explanations } from './common-words.js'
import { type ForeignWords, numberIn, take } from './foreign-words.js'

export const bashWords: ForeignWords = {
  names: {
    command: ['cmd', 'commandline', 'script', 'shellcommand'],
    directory: ['cwd', 'workdir', 'workingdirectory', 'workingdir', 'dir', 'dirpath'],
    timeout_ms: ['timeoutmilliseconds', 'yieldtimems'],
  },
  // None of them may weaken the sandbox or the questions: those are the user's.
  ignored: [
    ...explanations,
    ...['runinbackground', 'isbackground', 'background', 'blocking', 'interactive', 'login', 'tty'],
    ...['dangerouslydisablesandbox', 'withescalatedpermissions', 'sandboxpermissions', 'safetoautorun'],
    ...['requiresapproval', 'requireuserapproval', 'prefixrule', 'maxoutputtokens', 'shell'],
  ],
  adapt: (args) => withTimeout(withLine(args)),
}

/** Some give words: `["bash","-lc","npm test"]` is that line, and other words are a program with its arguments. */
function withLine(args: JsonObject): JsonObject {
  const { command } = args
  const { found, rest } = take(args, ['args', 'arguments'])
  const [more] = found
  if (typeof command === 'string' && isWords(more))
    return { ...rest, command: [command, ...more.map(quoteWord)].join(' ') }
  if (!isWords(command) || command.length === 0) return args
  const [shell = '', flag = '', line = ''] = command
  const isLine = command.length === 3 && /^(?:.*\/)?(?:ba|z|da)?sh$/.test(shell) && /^-l?c$/.test(flag)
  return { ...args, command: isLine ? line : command.map(quoteWord).join(' ') }
}

const isWords = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((word) => typeof word === 'string')

/** Nobody means 120 milliseconds. */
function withTimeout(args: JsonObject): JsonObject {
  const inSeconds = take(args, ['timeoutseconds', 'timeoutsecs', 'timeoutsec', 'timeouts'])
  const { found, rest } = take(inSeconds.rest, ['timeout'])
  const seconds = inSeconds.found.map(numberIn)
  const plain = found.map(numberIn).map((time) => (time !== undefined && time >= 1000 ? time / 1000 : time))
  const [time, ...others] = [...seconds, ...plain]
  if (time === undefined || others.length > 0 || 'timeout_ms' in rest) return args
  return time <= 0 ? rest : { ...rest, timeout_ms: Math.round(time * 1000) }
}
