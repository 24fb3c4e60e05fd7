import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Warning } from '@mutsumi/schema'
import { createSession, openSession, type SessionFile } from '@mutsumi/session/node'
import { builtInTools, PermissionGate, parsePermissionRules, Workspace } from '@mutsumi/tools'
import { onTestFinished } from 'vitest'
import { Agent } from '../../src/agent.js'
import { finishUndos } from '../../src/finish-undos.js'
import { openUndoPlace } from '../../src/undo/undo-place.js'
import { carryOut, type DoneFile, type PlannedFile, type UndoPlan } from '../../src/undo/undo-rounds.js'
import { type Played, PlayedModel } from '../support/agent.js'

export const finish = (answer: string) => `Action: Finish[${answer}]`
export const action = (name: string, args: object) => `Action: ${name}[${JSON.stringify(args)}]`

/** A folder with files and an agent that may change them; gone at the end of the test. */
export class UndoWorld {
  readonly root = mkdtempSync(join(tmpdir(), 'mutsumi-undo-'))
  /** A folder outside. */
  readonly outside = mkdtempSync(join(tmpdir(), 'mutsumi-outside-'))
  path = join(this.root, '.mutsumi', 'sessions', 'talk.mtm')
  readonly #deny: string
  #file: SessionFile | undefined
  #agent: Agent | undefined
  #model = new PlayedModel([])

  constructor(files: Readonly<Record<string, string>> = {}, { deny = '' }: { readonly deny?: string } = {}) {
    this.#deny = deny
    for (const [name, text] of Object.entries(files)) this.write(name, text)
    onTestFinished(async () => {
      await this.#file?.close()
      for (const folder of [this.root, this.outside]) rmSync(folder, { recursive: true, force: true })
    })
  }

  write(name: string, content: string | Buffer): void {
    mkdirSync(dirname(join(this.root, name)), { recursive: true })
    writeFileSync(join(this.root, name), content)
  }

  read(name: string): string | undefined {
    const path = join(this.root, name)
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined
  }

  async session(): Promise<SessionFile> {
    if (this.#file) return this.#file
    const known = await openSession(this.path)
    const opened = known.kind === 'opened' ? known : await createSession(this.path)
    if (opened.kind !== 'opened') throw new Error(opened.message)
    this.#file = opened.file
    return opened.file
  }

  async agent(): Promise<Agent> {
    if (this.#agent) return this.#agent
    const { root } = this
    const [allow = [], deny = []] = ['Write,Edit,MultiEdit,Bash', this.#deny].map((texts) =>
      parsePermissionRules(texts).flatMap((parsed) => (parsed.kind === 'rule' ? [parsed.rule] : [])),
    )
    // The test user says yes to every question, even about protected places.
    const gate = new PermissionGate({ root, rules: [{ allow, deny }], ask: async () => 'once' })
    const workspace = new Workspace({ root })
    // One for all rounds: replies come from whichever round runs.
    const model = {
      name: 'played',
      callsTools: false,
      stream: (...given: Parameters<PlayedModel['stream']>) => this.#model.stream(...given),
    }
    const tools = builtInTools({ sandbox: 'off' })
    this.#agent = await Agent.open({
      ...{ session: await this.session(), workspace, model, tools, gate, protocol: 'react' },
    })
    return this.#agent
  }

  /** Asks, and answers with the requests that were sent. */
  async ask(prompt: string, replies: readonly Played[]): Promise<readonly string[]> {
    this.#model = new PlayedModel(replies)
    const agent = await this.agent()
    for await (const event of agent.run(prompt))
      if (event.type === 'round-end' && event.status !== 'done') throw new Error(JSON.stringify(event))
    return this.#model.requests.map(({ messages }) => JSON.stringify(messages))
  }

  /** Asks, and answers with the warnings. */
  async warningsOf(prompt: string, replies: readonly Played[]): Promise<readonly Warning[]> {
    this.#model = new PlayedModel(replies)
    const warnings: Warning[] = []
    for await (const event of (await this.agent()).run(prompt))
      if (event.type === 'warning') warnings.push(event.warning)
    return warnings
  }

  /** Begins an undo of the newest round and ends before the first file, as a killed process does. */
  async interruptUndo(): Promise<void> {
    const workspace = new Workspace({ root: this.root })
    const place = openUndoPlace({ session: await this.session(), workspace })
    const files = {
      look: (path: string) => place.files.look(path),
      refusal: (path: string) => place.files.refusal(path),
      tidy: () => undefined,
      restore(): never {
        throw new Error('its process ends here')
      },
    }
    const plan = await this.plan()
    await carryOut({ ...place, files }, plan).catch(() => undefined)
    await this.reopen()
  }

  async finishUndos(session?: SessionFile): Promise<readonly string[]> {
    const told = await finishUndos(session ?? (await this.session()), { root: this.root })
    return told.map(({ message }) => message)
  }

  /** The session goes on in a new process. */
  async reopen(): Promise<void> {
    await this.#file?.close()
    this.#file = undefined
    this.#agent = undefined
  }

  async plan(rounds = 1): Promise<UndoPlan> {
    const plan = await (await this.agent()).planUndo({ rounds })
    if (plan.kind === 'nothing') throw new Error(plan.why)
    return plan
  }

  async undo(rounds = 1): Promise<readonly string[]> {
    const outcome = await (await this.agent()).carryOut(await this.plan(rounds))
    return outcome.files.map(told)
  }

  async redo(): Promise<readonly string[]> {
    const agent = await this.agent()
    const plan = await agent.planRedo()
    if (plan.kind === 'nothing') throw new Error(plan.why)
    return (await agent.carryOut(plan)).files.map(told)
  }
}

/** `restore change a.ts +1 -2, done`. */
export function told(file: PlannedFile | DoneFile): string {
  const { outcome, effect, path, added, removed, reason } = file
  const done = 'done' in file ? (file.done ? ', done' : ', not done') : ''
  return `${outcome} ${effect} ${path} +${added} -${removed}${done}${reason === undefined ? '' : `: ${reason}`}`
}
