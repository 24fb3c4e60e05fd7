/** Everything about building a request that a user may set. Names are those of the `-c` flag. */
export interface ContextSettings {
  /** Tokens the model can take. */
  readonly contextWindow: number
  /** The share of the window at which history is compacted. */
  readonly compactAt: number
  /** The share of the window that is left at most after that. */
  readonly compactTo: number
  /** Rounds that a compaction leaves at least, as long as they fit. */
  readonly retainRounds: number
  /** Below so many messages nothing is compacted. */
  readonly minMessages: number
  readonly tokens: {
    /** `length`: a token is three characters. `tokenizer`: o200k, corrected by what providers report; takes 64 MiB. */
    readonly estimator: 'length' | 'tokenizer'
  }
  readonly summary: {
    /** The model that writes summaries; the session's own where empty. */
    readonly model: string
    readonly timeoutMs: number
    /** What stands in for a summary that no model wrote: nothing, or one made from records alone. */
    readonly fallback: 'none' | 'extractive'
  }
  readonly history: {
    /** When results are cut and stale reads reduced to a line: as their round ends, or when it pays. */
    readonly rewrite: 'round' | 'priced'
  }
  readonly results: {
    /** How a tool's result is sent: as plain text, or as the JSON that is recorded. */
    readonly form: 'text' | 'json'
  }
  readonly read: {
    /** Whether the lines that Read shows carry their numbers. */
    readonly numbers: 'lines' | 'none'
  }
  /** What a token costs that is read from the prompt cache or written to it, against one of plain input. */
  readonly prices: { readonly read: number; readonly write: number }
  readonly ghost: {
    /** `newest`: one block, after the newest message. */
    readonly placement: 'newest'
    readonly format: 'json' | 'raw'
    /** The share of the window that the block may take. */
    readonly budget: number
  }
  readonly rules: {
    /** Where `.mutsumi/rules` goes: the ghost block, or the second system message. */
    readonly placement: 'ghost' | 'system'
  }
  /** Files at the workspace's root that make up the second system message, in this order. */
  readonly projectRules: readonly string[]
  readonly limits: ContextLimits
}

export interface ContextLimits {
  /** Text of one file beyond this is cut. */
  readonly fileBytes: number
  readonly imageBytes: number
  /** Files that one glob reference may bring in. */
  readonly globFiles: number
  readonly includeDepth: number
  /** Includes that one build may expand. */
  readonly includes: number
  /** Text that the includes of one build may insert. */
  readonly includeBytes: number
}

export const defaultSettings: ContextSettings = {
  contextWindow: 200_000,
  compactAt: 0.8,
  compactTo: 0.6,
  retainRounds: 10,
  minMessages: 3,
  tokens: { estimator: 'length' },
  summary: { model: '', timeoutMs: 120_000, fallback: 'none' },
  history: { rewrite: 'round' },
  results: { form: 'text' },
  read: { numbers: 'lines' },
  prices: { read: 0.1, write: 1.25 },
  ghost: { placement: 'newest', format: 'json', budget: 0.5 },
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
