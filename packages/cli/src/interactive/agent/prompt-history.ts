import { appendFileSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { readOwnBytes } from '@mutsumi/tools/parts'

const rememberedPrompts = 1000
/** A larger file is rewritten with only the newest prompts. */
const largestFile = 2_000_000
/** A longer prompt was pasted or piped, so it is not kept. */
const longestPrompt = 20_000

/** The prompts of all conversations in a project, the newest first. A file that cannot be read or written is ignored. */
export class PromptHistory {
  readonly #file: string | undefined
  #prompts: string[]

  /** Without a file, the prompts are kept until the process ends. */
  constructor(file: string | undefined) {
    this.#file = file
    this.#prompts = file === undefined ? [] : readPrompts(file)
  }

  get prompts(): readonly string[] {
    return this.#prompts
  }

  add(prompt: string): void {
    if (prompt === this.#prompts[0]) return
    this.#prompts = [prompt, ...this.#prompts.filter((each) => each !== prompt)].slice(0, rememberedPrompts)
    if (this.#file !== undefined && prompt.length <= longestPrompt) this.#keep(this.#file, prompt)
  }

  #keep(file: string, prompt: string): void {
    try {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      const stats = statSync(file, { throwIfNoEntry: false })
      // Writing to a pipe would wait for its reader.
      if (stats && !stats.isFile()) return
      const isLarge = (stats?.size ?? 0) > largestFile
      const lines = [...(isLarge ? this.#prompts.toReversed() : [prompt])].map(
        (each) => `${JSON.stringify(each)}\n`,
      )
      // No other user of the machine may read the prompts.
      if (isLarge) writeFileSync(file, lines.join(''), { mode: 0o600 })
      else appendFileSync(file, lines.join(''), { mode: 0o600 })
    } catch {
      // The home folder cannot be written to. The prompts of this conversation are still in memory.
    }
  }
}

/** One JSON string per line, the newest last. Any other line is skipped. */
function readPrompts(file: string): string[] {
  const lines = readText(file).split('\n').toReversed()
  const prompts = lines.flatMap((line) => {
    const prompt = parsed(line)
    return typeof prompt === 'string' && prompt.trim() !== '' ? [prompt] : []
  })
  return [...new Set(prompts)].slice(0, rememberedPrompts)
}

function readText(file: string): string {
  const read = readOwnBytes(file, 4 * largestFile)
  // The file does not exist yet, or we may not read it.
  return read.kind === 'bytes' ? read.bytes.toString('utf8') : ''
}

function parsed(line: string): unknown {
  try {
    return line === '' ? undefined : JSON.parse(line)
  } catch {
    // The process that wrote it may have ended in the middle of the line.
    return undefined
  }
}
