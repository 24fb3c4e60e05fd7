import type { BroughtItems } from '@mutsumi/context'
import type {
  AgentMessage,
  AgentMetadata,
  CellMetadata,
  ChangeRecord,
  Compaction,
  EndRecord,
  FileChange,
  MentionedPaths,
  PermissionMode,
  RecordedCall,
  RequestRecord,
  RoundStatus,
  Session,
  SessionRecord,
  TokenUsage,
} from '@mutsumi/schema'
import { isPermissionMode } from '@mutsumi/schema'
import { type Named, type NewRecord, type SessionFile, sha256 } from '@mutsumi/session/node'
import {
  countedCompaction,
  type DescribedRequest,
  hashOf,
  MessageHashes,
  metadataChanges,
  RecordedTexts,
  type RequestSurroundings,
  requestRecord,
  type SentBeside,
} from '@mutsumi/session/parts'
import type { ChangedFile, FileBefore } from '@mutsumi/tools'
import type { ProtocolName } from '../protocol/choose-protocol.js'
import { copiesOf, mayKeepBy } from '../undo/file-copies.js'
import { VersionKeeper, type VersionKeeperOptions } from '../undo/version-keeper.js'
import { CallIds } from './call-ids.js'
import { failedTries } from './failed-tries.js'
import { recordsInView } from './records-in-view.js'
import type { ReplyPiece } from './reply-recorder.js'

/** A tool's result, as history keeps it and as its round saw it. */
export interface StoredResult {
  readonly call: RecordedCall
  readonly content: string
  readonly observed: string
  /** The hash of `observed`, if it is already known. */
  readonly observation?: string
}

/** Why a step's requests were not carried out. */
export type NotRun = 'cut' | 'malformed'

/** Files that a call changes. A call in a prompt has no id. */
export interface ChangingCall {
  readonly id?: string | undefined
  readonly name: string
}

/** Data recorded with a request in addition to its messages. */
export interface AboutRequest extends Pick<RequestRecord, 'cell' | 'number' | 'model' | 'shortened'> {
  /** The items that the round's message brought, if they are not recorded yet. */
  readonly brought?: BroughtItems | undefined
  /** By the clock that is used for the prompt cache. */
  readonly at?: string
  readonly sent?: SentBeside
}

/**
 * Writes a round into its session as it happens. An awaited record is on disk. Records that are started together share
 * one sync and may depend on each other: if one is lost, all later ones are lost too.
 */
export class SessionLog {
  readonly #file: SessionFile
  readonly #protocol: ProtocolName
  readonly #hashes = new MessageHashes(sha256)
  /**
   * The content of the file when it was read, as far as it is in the view, and the records written since. It starts again
   * when the file is read again. A text that it does not know is written as a snapshot.
   */
  #known: RecordedTexts | undefined
  /** The records that were added before anything had to be known. They may still be on their way to the file. */
  #unknown: SessionRecord[] = []
  #previous: readonly AgentMessage[] = []
  #generation: number
  /** The round that runs, how it left each file that it changed, and which files it said before commands. */
  #round:
    | { readonly cell: string; readonly left: Map<string, string | undefined>; readonly listed: Set<string> }
    | undefined
  readonly #versions: VersionKeeper
  readonly callIds: CallIds

  /** `protocol`: how the recorded steps are written. `keeping`: where contents of files are kept, and which. */
  constructor(
    file: SessionFile,
    protocol: ProtocolName = 'react',
    keeping: VersionKeeperOptions = { copies: copiesOf(file), mayKeep: mayKeepBy(undefined) },
  ) {
    this.#file = file
    this.#protocol = protocol
    this.#generation = file.generation
    this.#versions = new VersionKeeper(keeping)
    this.callIds = new CallIds(file)
  }

  get session(): Session {
    return this.#file.session
  }

  /** Records the user's message; returns its cell's id and number. */
  async cell(
    content: string,
    {
      mode = 'ask',
      plan,
    }: { readonly mode?: PermissionMode | undefined; readonly plan?: readonly string[] | undefined } = {},
  ): Promise<{ readonly id: string; readonly index: number }> {
    const metadata = { ...(mode !== 'ask' && { mode }), ...(plan && { plan }) }
    const isKept = Object.keys(metadata).length > 0
    const record = await this.#add({ type: 'cell', role: 'user', content, ...(isKept && { metadata }) })
    this.begin(record.id)
    return { id: record.id, index: this.session.cells.length - 1 }
  }

  /** The newest rounds that asked the same and failed leave the view: the prompt is asked again. */
  async replaceTries(prompt: string): Promise<void> {
    const cells = failedTries(prompt, this.#file)
    if (cells.length > 0) await this.#add({ type: 'undo', cells, files: [] })
  }

  /** The round of a cell begins: what tools change from now on is recorded with it. */
  begin(cell: string): void {
    this.#round = { cell, left: new Map(), listed: new Set() }
  }

  /** Records the paths that the text of a cell mentions, because later requests repeat their reminder. */
  async mentioned(cell: string, mentioned: MentionedPaths): Promise<void> {
    await this.#add({ type: 'edit', cell, metadata: { ...this.#keptOf(cell), mentioned } })
  }

  /** Records how the round of a recorded cell begins, unless the cell says so already. */
  async begins(
    cell: string,
    { mode, plan }: { readonly mode: PermissionMode; readonly plan: readonly string[] | undefined },
  ): Promise<void> {
    const { mode: recorded = 'ask', ...kept } = this.#keptOf(cell)
    if (recorded === mode && (plan === undefined || kept.plan !== undefined)) return
    const metadata = { ...kept, ...(mode !== 'ask' && { mode }), ...(plan && { plan }) }
    await this.#add({ type: 'edit', cell, metadata })
  }

  /** Facts about a cell that stay while others are recorded. */
  #keptOf(cell: string): Pick<CellMetadata, 'typed' | 'mode' | 'mentioned' | 'plan'> {
    const { typed, mode, mentioned, plan } =
      this.session.cells.findLast(({ metadata }) => metadata?.id === cell)?.metadata ?? {}
    return {
      ...(typeof typed === 'string' && { typed }),
      ...(isPermissionMode(mode) && { mode }),
      ...(mentioned && { mentioned }),
      ...(Array.isArray(plan) && { plan }),
    }
  }

  /** Records the metadata of an assembly. */
  async metadata(next: AgentMetadata): Promise<void> {
    const changes = metadataChanges(this.session.metadata, next)
    if (changes) await this.#add({ type: 'metadata', ...changes })
  }

  /** Records a request of the round before it is sent. Returns its id, for `usage`. */
  async request(
    messages: readonly AgentMessage[],
    { sent, brought, ...about }: AboutRequest,
    texts: Pick<RequestSurroundings, 'piecesOf' | 'recordedOf'> = {},
  ): Promise<string> {
    const given = brought && this.#given(brought)
    const id = await this.#described({ ...about, ...(given && { given: given.items }) }, () => {
      const described = requestRecord(messages, {
        previous: this.#previous,
        known: this.#texts,
        hashes: this.#hashes,
        hash: sha256,
        ...texts,
        ...(sent ? { sent } : {}),
      })
      return given ? { ...described, snapshots: [...described.snapshots, ...given.snapshots] } : described
    })
    // Only records on disk can be referred to.
    this.#previous = messages
    return id
  }

  /** The items that a message brought. Long texts are replaced by their hashes. */
  #given({ pieces, contents, ...items }: BroughtItems) {
    const snapshots = new Map(contents.map((content) => [hashOf(content, sha256), content]))
    const kept = pieces
      .filter((piece) => piece !== '')
      .map((piece) => {
        if (piece.length <= longPiece) return piece
        const snapshot = hashOf(piece, sha256)
        snapshots.set(snapshot, piece)
        return { snapshot }
      })
    return {
      items: { pieces: kept, ...items },
      snapshots: [...snapshots].map(([hash, content]) => ({ hash, content })),
    }
  }

  /**
   * Records the request for a compaction's summary. It is a separate conversation, and the round's requests do not
   * build on it. Returns its id, for `usage`.
   */
  summaryRequest(
    messages: readonly AgentMessage[],
    { sent, ...about }: Omit<AboutRequest, 'number'>,
  ): Promise<string> {
    const purpose = 'summary'
    const number = (this.#file.facts.summaryRequests.get(about.cell) ?? 0) + 1
    return this.#described({ ...about, number, purpose }, () =>
      requestRecord(messages, {
        previous: [],
        known: this.#texts,
        // A separate memory, because the round's own would forget its messages.
        hashes: new MessageHashes(sha256),
        hash: sha256,
        ...(sent ? { sent } : {}),
      }),
    )
  }

  /**
   * Records a request by references to existing records. If the file is read again meanwhile, it uses the records that
   * exist then.
   */
  async #described(
    { at, ...about }: Omit<AboutRequest, 'sent' | 'brought'> & Pick<RequestRecord, 'purpose' | 'given'>,
    describe: () => DescribedRequest,
  ): Promise<string> {
    for (;;) {
      this.#catchUp()
      const { snapshots, ...described } = describe()
      const kept = snapshots.map(({ hash, content }) => this.#file.recordSnapshot(content, hash))
      const named = this.#file.name({ type: 'request' as const, ...about, ...described })
      const record = at === undefined ? named : { ...named, at }
      const [saved] = await this.#together([this.#file.append(record, this.#generation), ...kept])
      if (saved === 'saved') return record.id
    }
  }

  async step(
    cell: string,
    step: number,
    {
      content,
      calls = [],
      final = false,
      notRun,
    }: { content: string; calls?: readonly RecordedCall[]; final?: boolean; notRun?: NotRun },
  ): Promise<void> {
    const metadata = this.#stepMetadata(notRun)
    await this.#add({
      type: 'step',
      cell,
      step,
      content,
      ...(calls.length > 0 ? { calls } : {}),
      ...(final ? { final: true as const } : {}),
      ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
    })
  }

  /**
   * Records a piece of a reply that still streams in, so that it is not lost if the process ends. `note` ends the text of
   * a reply that was cut off. Its step replaces all its pieces.
   */
  async partial(
    cell: string,
    step: number,
    { from, content, note }: ReplyPiece & { readonly note: string },
  ): Promise<void> {
    if (this.#file.isInMemory) return
    const first = from === 0 ? { note, metadata: this.#stepMetadata('cut') } : {}
    await this.#file.add({ type: 'partial', cell, step, from, content, ...first })
  }

  #stepMetadata(notRun: NotRun | undefined) {
    return {
      ...(notRun && { not_run: notRun }),
      // A text that looks like an action is one only in ReAct text.
      ...(this.#protocol === 'native' && { protocol: this.#protocol }),
    }
  }

  /** Records the user's message to the running round, after step `step`. */
  async steer(cell: string, step: number, content: string): Promise<void> {
    await this.#add({ type: 'steer', cell, step, content })
  }

  /**
   * Must be awaited before a tool runs. If the process ends before the result is recorded, the call counts as
   * interrupted and is never run again. Its arguments are in the recorded step.
   */
  async intent(cell: string, step: number, { id, name }: RecordedCall): Promise<void> {
    await this.#add({ type: 'intent', cell, step, call: { id, name } })
  }

  /**
   * Saves files before a call changes them. It must be awaited. If a round changes a file twice and nobody else
   * changed it in between, the version in between is not saved, because rounds are undone as a whole.
   */
  async change(
    call: ChangingCall,
    changed: readonly ChangedFile[],
    unseen?: string,
  ): Promise<readonly FileChange[]> {
    const round = this.#round
    if (!round) return []
    const files = await this.#versions.changes(changed, round.left)
    await this.#recordFiles(round.cell, call, { files, ...(unseen !== undefined && { unseen }) })
    return files
  }

  /**
   * Records files before a command that may change them. The command must wait for it: if the process ends before the
   * command does, an undo still knows the files. Returns the hashes of those that are kept.
   */
  async before(call: ChangingCall, found: readonly FileBefore[]): Promise<ReadonlySet<string>> {
    const round = this.#round
    if (!round) return new Set()
    const { files, kept } = await this.#versions.before(found, round.listed)
    if (files.length > 0) await this.#recordFiles(round.cell, call, { files, begun: true })
    return kept
  }

  /** Why contents of files could not be kept; undefined as long as all were. */
  get unkept(): string | undefined {
    return this.#versions.problem
  }

  /** The contents are on disk by now, so no record names one that is missing. */
  async #recordFiles(
    cell: string,
    { id, name }: ChangingCall,
    fields: Pick<ChangeRecord, 'files' | 'begun' | 'unseen'>,
  ): Promise<void> {
    const call = id === undefined ? {} : { call: id }
    await this.#add({ type: 'change', cell, tool: name, ...call, ...fields })
  }

  /** Returns the hash for Recall. */
  async result(cell: string, step: number, given: StoredResult): Promise<string> {
    const { call, content, observed, observation = hashOf(observed, sha256) } = given
    const whole = observed === content ? [] : [this.#file.recordSnapshot(observed, observation)]
    const { id, name: tool } = call
    const added = this.#add({ type: 'result', cell, step, call: id, tool, content, observation })
    await this.#together([added, ...whole])
    return observation
  }

  /** An invalid count is not written, because its line could not be read again. */
  async usage(request: string, usage: TokenUsage): Promise<void> {
    const [input, output] = [countIn(usage.input), countIn(usage.output)]
    if (input === undefined && output === undefined) return
    const [cached, written] = [countIn(usage.cached), countIn(usage.written)]
    await this.#add({
      type: 'usage',
      request,
      input: input ?? 0,
      output: output ?? 0,
      ...(cached === undefined ? {} : { cached }),
      ...(written === undefined ? {} : { written }),
    })
  }

  async compaction(compaction: Compaction): Promise<void> {
    const names = this.session.cells.map(({ metadata }) => metadata?.id)
    await this.#add({ type: 'compaction', ...countedCompaction(compaction, names) })
    // Later requests do not refer to what left the view.
    if (this.#generation === this.#file.generation) this.#forgetTexts()
  }

  async end(cell: string, status: keyof typeof endStatus, message: string): Promise<void> {
    await this.#add({ type: 'end', cell, status: endStatus[status], message })
  }

  /** It is known at once, so that later records may refer to it. */
  async #add<New extends NewRecord>(fields: New): Promise<Named<New>> {
    this.#catchUp()
    const record = this.#file.name(fields)
    this.#know(record as unknown as SessionRecord)
    await this.#together([this.#file.append(record as unknown as SessionRecord)])
    if (record.type === 'result') this.#release(record.id)
    return record
  }

  /** The file holds a long text from now on. */
  #release(id: string): void {
    if (this.#generation !== this.#file.generation) return
    for (const saved of this.#file.newestRecords('result')) if (saved.id === id) return this.#know(saved)
  }

  /** Most previews describe no request, so the records are read when the first one is described. */
  get #texts(): RecordedTexts {
    if (this.#known) return this.#known
    const saved = recordsInView(this.#file)
    const ids = new Set(saved.map(({ id }) => id))
    const unsaved = this.#unknown.splice(0).filter(({ id }) => !ids.has(id))
    this.#known = new RecordedTexts(sha256, [...saved, ...unsaved])
    return this.#known
  }

  #know(record: SessionRecord): void {
    if (this.#known) this.#known.add(record)
    else this.#unknown.push(record)
  }

  #forgetTexts(): void {
    this.#known = undefined
    this.#unknown = []
  }

  /** A lost record is no longer known. */
  async #together<Work extends readonly Promise<unknown>[]>(work: [...Work]) {
    try {
      return await Promise.all(work)
    } catch (error) {
      this.#generation = unknown
      throw error
    }
  }

  /** Another program may have changed any record, or put others between ours. */
  #catchUp(): void {
    if (this.#generation === this.#file.generation) return
    this.#forgetTexts()
    this.#previous = []
    this.#generation = this.#file.generation
  }
}

/** A round that ran out of time counts as cancelled. */
const endStatus = {
  failed: 'failed',
  fault: 'failed',
  denied: 'denied',
  cancelled: 'cancelled',
  timeout: 'cancelled',
  interrupted: 'interrupted',
} as const satisfies Record<Exclude<RoundStatus, 'done'> | 'interrupted', EndRecord['status']>

/** Providers may report invalid numbers. */
function countIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}

/** The state of a missing file. */
const unknown = 0

/** Longer texts of a block are kept as snapshots. */
const longPiece = 1024
