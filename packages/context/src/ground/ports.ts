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
 * The capabilities that the host gives the engine. Every port returns a value. A failure is a value too, and no port
 * throws for bad input.
 */
export interface Ports {
  readonly reader: Reader
  readonly tools?: ToolRunner
  /** The user's own folder, outside the workspace: its `AGENTS.md` and `rules/*.md` come before the project's. */
  readonly userRules?: Reader
  readonly tokens?: TokenCounter
  /** Hash of a text's UTF-8 bytes. Pass the one that the reader uses; the default is a weaker hash without I/O. */
  readonly hash?: (text: string) => string
  /** A tool's result as its round saw it, by its Recall id; undefined if it no longer exists. */
  readonly observation?: (id: string) => string | undefined
  /** A text that the session keeps under its hash. */
  readonly snapshot?: (hash: string) => string | undefined
  /** Whether the newest recorded change of a file is the agent's own and led to this content, by the file's hash. */
  readonly isOwnChange?: (path: string, hash: string) => boolean
}

/**
 * Reads files and folders by absolute POSIX path. It alone decides what may be read, by checking what was really
 * opened. It may answer at once or with a promise; at once is faster for cached files. It returns the very same object
 * until the file changes on disk.
 */
export interface Reader {
  /** The workspace's folder, absolute, POSIX separators, no slash at the end. */
  readonly root: string
  read(path: string, options: ReadOptions): Reading | Promise<Reading>
  /** A picture in the user's own text, which may also be in the host's folder for pasted images. */
  readPicture?(path: string, options: ReadOptions): Reading | Promise<Reading>
  /** Which of these folders may really be read here. Absent: all of them. */
  scope?(allowed: readonly string[]): readonly string[]
  /** `pattern` is relative to the root. `*`, `**`, `?` and `{a,b}` work as in a shell; brackets are literal. */
  glob(pattern: string, options: GlobOptions): Promise<GlobResult>
}

/** Runs a tool through the host's permission gate. */
export interface ToolRunner {
  /** The side effects of a tool; undefined if there is no tool of that name. */
  effectOf(name: string): ToolEffect | undefined
  /** The call with the tool's own name and arguments, if it was written with an alias. */
  canonical?<Call extends ToolCall>(call: Call): Call
  run(call: ToolCall, context: ToolRunContext): Promise<ToolResult>
  /** The description of the tools for the model. It is part of L1, so it must not change during a session. */
  readonly prompt?: string
}

export interface TokenCounter {
  count(text: string): number
}

/** The design's own estimate, `len(text) // 3`: no tokenizer to load, and the same on every machine. */
export const lengthTokenCounter: TokenCounter = { count: (text) => Math.floor(text.length / 3) }
