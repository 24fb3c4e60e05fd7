/** Everything about building a request that a user may set. Names are those of the `-c` flag. */
export interface ContextSettings {
  /** Tokens that the model accepts. */
  readonly contextWindow: number
  /** The size at which history is compacted: a share of the window, or, above 1, so many tokens. */
  readonly compactAt: number
  /** The most that is left after that, as a share of the window. */
  readonly compactTo: number
  /** The fewest rounds that a compaction keeps, if they fit. */
  readonly retainRounds: number
  /** If above 0, it keeps the newest rounds that take at most so many tokens together, however many these are. */
  readonly retainTokens: number
  /** With fewer messages, nothing is compacted. */
  readonly minMessages: number
  readonly tokens: {
    /**
     * `length`: a token is three characters. `tokenizer`: o200k, corrected by the usage that providers report; it
     * takes 64 MiB.
     */
    readonly estimator: 'length' | 'tokenizer'
  }
  readonly summary: {
    /** The model that writes summaries; empty: the session's own. */
    readonly model: string
    readonly timeoutMs: number
    /** The replacement if no model wrote a summary: nothing, or one made from the records alone. */
    readonly fallback: 'none' | 'extractive'
  }
  readonly history: {
    /** When results are cut and stale reads are reduced to a line: when their round ends, or when it pays. */
    readonly rewrite: 'round' | 'priced'
    /** If the prompt cache is cold and history takes more tokens, old results become one line each; 0: never. */
    readonly cleanAbove: number
    /** Whether a result of Read that a newer one replaces becomes one line. */
    readonly stubs: boolean
  }
  readonly summaries: {
    /** Whether older summaries show only their goals and key insights when all together take a quarter of the window. */
    readonly shrink: boolean
  }
  readonly kept: KeptAmounts
  readonly results: {
    /** The form of tool results in requests: plain text, or the recorded JSON. */
    readonly form: 'text' | 'json'
  }
  readonly read: {
    /** Whether Read shows line numbers. */
    readonly numbers: 'lines' | 'none'
  }
  readonly cache: {
    /** The lifetime of the provider's prompt cache. 0 if it has none. `auto`: the known value. */
    readonly minutes: number | 'auto'
  }
  /** The cost of a token read from or written to the prompt cache, relative to a plain input token. */
  readonly prices: { readonly read: number; readonly write: number }
  readonly ghost: {
    /**
     * `newest`: one block with all items, after the newest message. `appended`: each item once, with the message that first
     * needed it, then only what changed. `auto`: appended for models with a prompt cache, newest for others.
     */
    readonly placement: 'auto' | 'appended' | 'newest'
    readonly format: 'json' | 'raw'
    /** The share of the window that the block may take. */
    readonly budget: number
  }
  readonly rules: {
    /** The place of `.mutsumi/rules`: the ghost block, or the second system message. */
    readonly placement: 'ghost' | 'system'
  }
  /** Files at the workspace's root that make up the second system message, in this order. */
  readonly projectRules: readonly string[]
  readonly limits: ContextLimits
}

/** How much history keeps of a tool's result. */
export interface KeptAmounts {
  /** Entries of a listing, files, matching lines. */
  readonly ls: number
  readonly glob: number
  readonly grep: number
  /** Lines of a file, of a diff, of a written text. */
  readonly read: number
  readonly edit: number
  readonly write: number
  /** A command's output that is kept whole, in characters; of a longer one, the lines at both ends of stdout and the last of stderr. */
  readonly output: number
  readonly stdout: number
  readonly stderr: number
  /** Characters of any other tool's result. */
  readonly other: number
}

export interface ContextLimits {
  /** A longer file is cut. */
  readonly fileBytes: number
  readonly imageBytes: number
  /** The most files that one glob reference includes. */
  readonly globFiles: number
  readonly includeDepth: number
  /** The most includes that one build expands. */
  readonly includes: number
  /** The most text that the includes of one build insert. */
  readonly includeBytes: number
}

export const defaultSettings: ContextSettings = {
  contextWindow: 200_000,
  compactAt: 0.8,
  compactTo: 0.6,
  retainRounds: 10,
  retainTokens: 0,
  minMessages: 3,
  tokens: { estimator: 'length' },
  summary: { model: '', timeoutMs: 120_000, fallback: 'none' },
  history: { rewrite: 'priced', cleanAbove: 40_000, stubs: true },
  summaries: { shrink: true },
  kept: {
    ...{ ls: 10, glob: 10, grep: 5, read: 500, edit: 50, write: 50 },
    ...{ output: 1000, stdout: 5, stderr: 20, other: 1000 },
  },
  results: { form: 'text' },
  read: { numbers: 'lines' },
  cache: { minutes: 'auto' },
  prices: { read: 0.1, write: 1.25 },
  ghost: { placement: 'auto', format: 'raw', budget: 0.5 },
  rules: { placement: 'ghost' },
  projectRules: ['CODE_LAW.md', 'AGENTS.md'],
  limits: {
    fileBytes: 256 * 1024,
    imageBytes: 5 * 1024 * 1024,
    globFiles: 50,
    includeDepth: 20,
    includes: 1000,
    includeBytes: 4 * 1024 * 1024,
  },
}
