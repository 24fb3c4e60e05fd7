import type {
  GlobOptions,
  GlobResult,
  Reading,
  ReadOptions,
  ToolCall,
  ToolEffect,
  ToolResult,
  ToolRunContext,
} from '@mutsumi/schema'

/**
 * What the host lends the engine. Every port answers with a value: a failure is an answer too,
 * and none of them throws for bad input.
 */
export interface Ports {
  readonly reader: Reader
  readonly tools?: ToolRunner
  /** The user's own folder, outside the workspace: its `AGENTS.md` and `rules/*.md` come before the project's. */
  readonly userRules?: Reader
  readonly tokens?: TokenCounter
  /** Hash of a text's UTF-8 bytes. Give the one that the reader uses; a pure, weaker one stands in. */
  readonly hash?: (text: string) => string
  /** A tool's result as its round saw it, by its Recall id; undefined where it is no more. */
  readonly observation?: (id: string) => string | undefined
}

/**
 * Reads files and folders by absolute POSIX path. It alone decides what may be read, by what was
 * really opened. Answers may come at once or as a promise: at once is faster for warm files.
 * While nothing changed on disk, it returns the very same object.
 */
export interface Reader {
  /** The workspace's folder, absolute, POSIX separators, no slash at the end. */
  readonly root: string
  read(path: string, options: ReadOptions): Reading | Promise<Reading>
  /** A picture that the user's own text shows, which may also be in the host's folder for pasted images. */
  readPicture?(path: string, options: ReadOptions): Reading | Promise<Reading>
  /** Which of these folders may really be read here; all of them, where it does not say. */
  scope?(allowed: readonly string[]): readonly string[]
  /** `pattern` is relative to the root; `*`, `**`, `?` and `{a,b}` mean what they mean in a shell, brackets are letters. */
  glob(pattern: string, options: GlobOptions): Promise<GlobResult>
}

/** Runs a tool behind the host's permission gate. */
export interface ToolRunner {
  /** What a tool may do; undefined where there is no tool of that name. */
  effectOf(name: string): ToolEffect | undefined
  /** The call by the tool's own name and arguments, where it goes by others too. */
  canonical?<Call extends ToolCall>(call: Call): Call
  run(call: ToolCall, context: ToolRunContext): Promise<ToolResult>
  /** How the model is told about the tools: part of L1, so it must not change during a session. */
  readonly prompt?: string
}

export interface TokenCounter {
  count(text: string): number
}

/** The design's own estimate, `len(text) // 3`: no tokenizer to load, and the same on every machine. */
export const lengthTokenCounter: TokenCounter = { count: (text) => Math.floor(text.length / 3) }
