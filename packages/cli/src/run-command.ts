import { fstatSync } from 'node:fs'
import type { Command } from 'commander'
import { withMarkedPrompt } from './flags/prompt-words.js'
import { createProgram } from './program.js'
import { reportFailure, UsageError } from './terminal/failure.js'
import { isTerminal } from './terminal/is-conversation.js'
import { unlessUnanswered } from './terminal/unanswered.js'
import { speakTo } from './words/language.js'
import { say } from './words/say.js'

/** Runs the command with these words. A failure is reported and sets the exit code. */
export async function runCommand(words: readonly string[]): Promise<void> {
  const language = await speakTo(words, process.env)
  const program = createProgram()
  if (language !== 'en') (await import('./flags/translate-help.js')).translateHelp(program)
  if (words.length === 0 && isPiped()) return reportFailure(new UsageError(pipedPrompt()))
  if (words.length === 0 && !isTerminal()) return program.outputHelp()
  await unlessUnanswered(parse(program, words)).catch((error: unknown) => fail(words, error))
}

const pipedPrompt = () => say`a conversation needs a terminal; to ask what is piped in: … | mutsumi -p`

/** Whether standard input is a shell's pipe or a file. Programs that start us use something else, and get the help. */
function isPiped(): boolean {
  try {
    const input = fstatSync(0)
    return input.isFIFO() || input.isFile()
  } catch {
    return false
  }
}

/** Asynchronous from its first line, so that invalid words are a failure like any other. */
async function parse(program: Command, words: readonly string[]): Promise<unknown> {
  return program.parseAsync(withMarkedPrompt(program, words), { from: 'user' })
}

async function fail(words: readonly string[], error: unknown): Promise<void> {
  reportFailure(error)
  const isForPrograms = words.some((word) => word === '--json' || word === '--stream-json')
  if (!process.exitCode || !isForPrograms) return
  // Without free descriptors nothing more can be loaded, and the reason was said.
  const loaded = await import('./run/failed-run.js').catch(reportFailure)
  loaded?.printFailedRun(words, error)
}
