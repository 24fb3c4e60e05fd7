import type { PermissionMode } from '@mutsumi/schema'
import type { Elsewhere } from './command-names.js'

/** Every word of the conversation's own, in one language. The words of models, tools and files are not among them. */
export interface Words {
  /** For words that other programs share. */
  readonly language: 'en' | 'zh'
  /** Below the greeting: first steps. */
  readonly greeting: {
    readonly model: (name: string) => string
    /** The model lacks its key or address; the fault says which. */
    readonly lack: (fault: string) => string
    readonly offline: string
    readonly emptyKeys: (variables: string) => string
    readonly localServer: (name: string, flags: string) => string
    readonly otherModel: string
    readonly workspace: (folder: string) => string
    readonly session: (name: string) => string
    readonly sandbox: Readonly<Record<'bubblewrap' | 'seatbelt' | 'none', string>>
    readonly rules: (count: number, files: string) => string
    /** The project has no rules of any kind. */
    readonly noRules: string
    readonly try: readonly string[]
  }
  /** Marks around a text, as the language writes them. */
  readonly marks: {
    readonly inBrackets: (text: string) => string
    readonly because: (text: string) => string
  }
  readonly firstRun: {
    readonly trust: {
      /** In the greeting: nothing of the folder takes effect yet. */
      readonly waits: string
      readonly about: string
      readonly changed: string
      /** Trust always allows this too. */
      readonly reading: string
      readonly title: (folder: string) => string
      readonly yes: string
      readonly no: string
      readonly trusted: string
      readonly refused: string
    }
    /** Another process is writing the session. */
    readonly inUse: {
      readonly title: (session: string) => string
      readonly fork: string
      readonly leave: string
      readonly forked: (session: string) => string
    }
  }
  readonly editor: {
    readonly placeholder: string
    readonly search: string
    readonly notFound: string
    readonly looking: string
    readonly pasted: (lines: number) => string
    readonly picture: (name: string) => string
    readonly pictureFailed: (reason: string) => string
    readonly noPicture: string
    readonly noClipboard: (programs: string) => string
    readonly queued: (text: string) => string
    readonly steering: (text: string) => string
    readonly notSteered: string
    readonly editorFailed: (reason: string) => string
    /** A text that an earlier conversation did not send. */
    readonly draftLeft: (text: string) => string
    /** Enter was pressed while a question waits. */
    readonly tabFirst: string
  }
  readonly work: {
    readonly waiting: (model: string, seconds: number) => string
    /** A reply has begun. */
    readonly writing: string
    /** It has stalled for so long. */
    readonly noText: (seconds: number) => string
    readonly starting: string
    readonly opening: Readonly<Record<'model' | 'servers' | 'session', string>>
    readonly compacting: (seconds: number) => string
    readonly running: (seconds: number) => string
    readonly cancelling: string
    readonly cancelHint: string
    /** At a question of the round. */
    readonly cancelRoundHint: string
    readonly steerHint: string
    /** The effect of Enter in the input. */
    readonly enter: Readonly<Record<'sends' | 'queues' | 'completes' | 'waits', string>>
    readonly moreLines: (count: number) => string
    readonly moreLinesHere: (count: number) => string
    readonly openHint: string
    readonly noOutput: string
    readonly nothingToOpen: string
    readonly retry: (reason: string, seconds: number, attempt: string) => string
    readonly takenBack: string
    /** How to ask the same once more after a fault. */
    readonly tryAgain: string
    readonly compactionStart: (tokens: number) => string
    readonly compactionEnd: (before: number, after: number) => string
    readonly subAgent: (calls: number, last: string) => string
    readonly interrupted: string
    /** A call of an interrupted round that did not run, and one that may have run. */
    readonly notRun: string
    readonly effectUnknown: string
    readonly ended: Readonly<Record<'failed' | 'denied' | 'fault' | 'cancelled' | 'timeout', string>>
  }
  readonly todo: {
    readonly title: (done: number, all: number) => string
    readonly more: (count: number) => string
  }
  readonly status: {
    readonly round: (number: number) => string
    readonly left: (tokens: string) => string
    readonly due: string
    readonly soon: string
    readonly cold: string
    readonly cost: (cost: string) => string
    readonly cached: (percent: number) => string
    readonly queued: (count: number) => string
  }
  readonly picker: {
    readonly filter: string
    readonly none: string
    readonly keys: string
    /** In the row of the input while letters go to the filter. */
    readonly filters: string
    readonly count: (shown: number, all: number) => string
    /** In plain lines: the user types a number, words to look for, or nothing. */
    readonly plain: (last: number) => string
    readonly plainShort: (last: number) => string
  }
  readonly approval: {
    readonly title: (tool: string) => string
    readonly effects: Readonly<Record<'read' | 'write' | 'execute', string>>
    /** The sub-agent that asks, by its task. */
    readonly agent: (task: string) => string
    readonly where: (place: string) => string
    readonly why: (reason: string) => string
    readonly unconfined: string
    readonly once: string
    readonly session: string
    readonly always: string
    readonly no: string
    readonly rules: (rules: string) => string
    readonly rulesIn: (rules: string, file: string) => string
    readonly otherRules: string
    readonly keys: string
    /** The way to a question that waits, with an empty input and with a text in it. */
    readonly waits: string
    readonly waitsForInput: string
    /** In the empty input below a question. */
    readonly orWrite: string
    readonly confirm: (rules: string, file: string) => string
    readonly confirmKeys: string
    /** The effect of Enter on a question. */
    readonly enter: Readonly<Record<'once' | 'session' | 'always' | 'no' | 'confirm' | 'refuse', string>>
    readonly reason: string
    readonly noReason: string
    readonly lookAlikes: (letters: string) => string
    readonly choose: (last: number) => string
    readonly answered: Readonly<Record<'once' | 'session' | 'always' | 'no', string>>
    /** The mode that the user has just chosen answers the open question. */
    readonly settled: Readonly<Record<PermissionMode, string>>
    readonly noPreview: (reason: string) => string
    /** The reach of undo: all but ignored files, or nothing. */
    readonly undo: Readonly<Record<'not-ignored' | 'nothing' | 'unknown', string>>
    readonly notUndone: (path: string, reason: string) => string
  }
  /** A description of each command, by its name. */
  readonly about: Readonly<Record<CommandName, string>>
  readonly sessions: {
    readonly before: (rounds: number) => string
    readonly moreLines: (lines: number) => string
    readonly which: string
    readonly none: string
    readonly isOpen: string
    readonly openAlready: string
    readonly rounds: (count: number) => string
    readonly round: (number: number) => string
    readonly columns: readonly [string, string, string]
    readonly howToOpen: string
    readonly begun: string
    readonly forked: (name: string) => string
    readonly noRoundToDiff: (asked: string, last: number) => string
    readonly noRound: (asked: string, last: number) => string
    readonly newTitle: string
    readonly renamed: (title: string, name: string) => string
    readonly escapeAgain: string
    readonly backTo: string
    readonly nothingBefore: string
    readonly wentBack: (name: string) => string
    readonly backAtStart: string
    readonly exported: (path: string) => string
  }
  readonly context: {
    readonly which: string
    readonly what: string
    readonly types: Readonly<Record<'rule' | 'file' | 'tool', string>>
    readonly acts: Readonly<Record<'drop' | 'restore' | 'pin' | 'unpin' | 'undo', string>>
    readonly tokens: (count: number) => string
    readonly pinned: string
    readonly dropped: string
    readonly stub: string
    readonly undo: (act: string, key: string) => string
    readonly done: (act: string, key: string) => string
    readonly saves: (tokens: number) => string
    readonly adds: (tokens: number) => string
    readonly same: string
    readonly resent: (tokens: number) => string
  }
  readonly undo: {
    readonly nothing: Readonly<Record<'no-rounds' | 'no-undo' | 'asked-since', string>>
    readonly notRounds: (typed: string) => string
    readonly rounds: Readonly<Record<'undo' | 'redo', (count: number) => string>>
    readonly files: (count: number) => string
    readonly noFiles: string
    readonly stay: (count: number) => string
    readonly effects: Readonly<Record<'create' | 'change' | 'delete', string>>
    readonly outcomes: Readonly<Record<'restore' | 'restore-edited' | 'edited' | 'lost' | 'refused', string>>
    /** Its earlier content was saved on another machine, or removed. */
    readonly missing: string
    /** Why a redo cannot bring back everything. */
    readonly unkept: (reason: string) => string
    readonly binary: string
    /** For a file that comes back with the user's own edits between two changes. */
    readonly yours: string
    readonly commands: string
    readonly unseen: (reason: string) => string
    readonly tools: (names: string) => string
    readonly ask: Readonly<Record<'undo' | 'redo', string>>
    readonly yes: Readonly<Record<'undo' | 'redo', string>>
    readonly no: string
    readonly left: string
    readonly done: Readonly<Record<'undo' | 'redo', (rounds: number, files: number) => string>>
    readonly howToRedo: string
    readonly noChanges: string
    readonly editedToo: string
  }
  readonly usage: {
    /** The server counted no tokens. */
    readonly notReported: string
    readonly nothing: string
    readonly columns: Readonly<Record<'round' | 'requests' | 'sent' | 'cached' | 'output' | 'cost', string>>
    readonly total: string
    readonly earlier: (rounds: number) => string
  }
  readonly compact: {
    readonly working: string
    readonly thisSession: string
    readonly sure: (model: string) => string
    readonly yes: string
    readonly no: string
    readonly nothing: string
    readonly cancelled: string
    readonly undo: string
    readonly undone: string
    readonly noneToUndo: string
  }
  readonly models: {
    readonly now: (name: string) => string
    readonly looking: string
    readonly which: string
    readonly missing: (what: string) => string
    readonly noAnswer: (why: string) => string
    readonly asking: (name: string) => string
    readonly silent: (name: string, why: string) => string
    readonly switched: (name: string, protocol: string) => string
  }
  readonly protocols: {
    readonly now: (protocol: string, setting: string) => string
    readonly which: string
    readonly about: Readonly<Record<'auto' | 'react' | 'native', string>>
    readonly switched: (protocol: string) => string
    readonly unknown: (name: string) => string
  }
  readonly init: {
    /** The message on the screen, instead of the whole prompt. */
    readonly shown: string
    readonly writes: string
    readonly improves: (file: string) => string
  }
  readonly modes: {
    readonly which: string
    /** In the status. */
    readonly names: Readonly<Record<PermissionMode, string>>
    readonly about: Readonly<Record<PermissionMode, string>>
    readonly now: Readonly<Record<PermissionMode, string>>
    readonly unconfined: string
    readonly unknown: (name: string) => string
    readonly plan: {
      readonly title: (steps: number) => string
      readonly edits: string
      readonly ask: string
      readonly keep: string
      readonly accepted: string
    }
  }
  readonly rules: {
    readonly title: string
    readonly none: string
    readonly project: string
    readonly hint: string
  }
  readonly macros: { readonly none: string }
  readonly permissions: {
    readonly none: string
    readonly remove: string
    readonly removed: (rule: string) => string
    readonly decisions: Readonly<Record<'allow' | 'deny', string>>
    readonly scopes: Readonly<Record<'session' | 'workspace' | 'everywhere' | 'flag', string>>
  }
  readonly mcp: {
    readonly none: string
    readonly tools: (count: number) => string
    readonly states: Readonly<Record<'ready' | 'failed' | 'untrusted', string>>
  }
  readonly copy: {
    readonly none: string
    readonly copied: (characters: number) => string
    readonly stored: (path: string) => string
  }
  readonly raw: { readonly next: string }
  /** The end of a command in the user's own shell. */
  readonly shell: {
    readonly done: string
    readonly failed: (exitCode: number) => string
    readonly stopped: string
    readonly notStarted: (reason: string) => string
  }
  readonly commands: {
    readonly unknown: (name: string, nearest: string) => string
    readonly elsewhere: Readonly<Record<Elsewhere, string>>
    /** Before the names from habit that lead to our commands. */
    readonly also: string
    /** Describes a user command that has no description. */
    readonly ownCommand: string
    readonly askParam: (call: string, about: string) => string
    readonly examining: string
    readonly keysTitle: string
    /** Below some of the keys. */
    readonly allKeys: string
    readonly keys: readonly (readonly [string, string])[]
  }
  readonly attention: {
    readonly titles: Readonly<Record<'ready' | 'working' | 'waiting', string>>
    readonly waits: string
    readonly finished: string
  }
  readonly leave: {
    readonly again: string
    readonly session: (path: string) => string
  }
  readonly plain: {
    readonly prompt: string
    readonly working: string
    readonly tool: (call: string) => string
    readonly message: (text: string) => string
    /** Before a rule that stays is stored. */
    readonly confirm: string
    readonly yes: string
  }
}

/** The commands of the conversation. */
export type CommandName =
  | 'back'
  | 'compact'
  | 'context'
  | 'diff'
  | 'copy'
  | 'doctor'
  | 'export'
  | 'fork'
  | 'help'
  | 'init'
  | 'macros'
  | 'mcp'
  | 'mode'
  | 'model'
  | 'new'
  | 'permissions'
  | 'plan'
  | 'protocol'
  | 'quit'
  | 'redo'
  | 'raw'
  | 'rename'
  | 'resume'
  | 'rules'
  | 'sessions'
  | 'undo'
  | 'tools'
  | 'usage'
