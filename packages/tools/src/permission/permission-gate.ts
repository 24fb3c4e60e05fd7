import { lstatSync } from 'node:fs'
import { resolve } from 'node:path'
import { once, type PermissionMode, type WordedMessage } from '@mutsumi/schema'
import { quoteWord } from '../command-line/shell-word.js'
import type { Places } from '../contract/define-tool.js'
import type { LeftPlace, LeftRequest } from '../contract/left-places.js'
import type { FindFailure, Permission, PermissionRequest } from '../contract/tool-runner.js'
import { oneLine } from '../ground/one-line.js'
import { shortList } from '../ground/short-list.js'
import { ProtectedPlaces } from '../protected/protected-paths.js'
import { isQuietRepository } from '../protected/quiet-repository.js'
import { outcomeWords } from '../reasons/outcome.js'
import { because, type Reason, reasonText } from '../reasons/reason.js'
import { userConfigFolder } from '../user/user-config.js'
import { userHome } from '../user/user-home.js'
import { AllowedFolders } from '../workspace/allowed-folders.js'
import { impossiblePath } from '../workspace/impossible-path.js'
import type { PathPattern } from '../workspace/path-pattern.js'
import { isInside, relativeTo, toPath } from '../workspace/paths.js'
import { entriesIn } from '../workspace/read-folder.js'
import { realPathOf, realPathOrPlanned } from '../workspace/real-path.js'
import { holdsGuarded } from './guarded-below.js'
import { judgeLeft } from './judge-left.js'
import { type Location, type PathWorld, readingTools } from './judge-path.js'
import { judgeRequest } from './judge-request.js'
import { parsePermissionRule, type RuleSet } from './permission-rule.js'
import type { PermissionStore } from './permission-store.js'
import { type QuestionReasons, type QuestionWords, questionWords } from './question-words.js'
import { rulesInMode } from './rules-in-mode.js'
import { askAlways, type RuleTexts, type Verdict } from './verdict.js'

export interface PermissionGateOptions {
  /** The workspace. */
  readonly root: string
  /** Further folders that the user opened. */
  readonly roots?: readonly string[]
  /** Rules from the run's flags and from the session. The user's own come from the store. */
  readonly rules?: readonly RuleSet[]
  readonly store?: PermissionStore
  /** Rules that the user allowed earlier in this session. */
  readonly allowed?: readonly string[]
  /** Absent if no user can be asked. Then everything that no rule allows is denied. */
  readonly ask?: AskPermission
  /** Absent: `ask`. */
  readonly mode?: PermissionMode
  readonly home?: string
  readonly configFolder?: string
  readonly onWarning?: (said: WordedMessage) => void
}

/** A call that no rule decides, for the user to decide. */
export interface PermissionQuestion extends PermissionRequest, QuestionWords {
  /** Its reasons as data. Its words are English, as a model would read them. */
  readonly reasons: QuestionReasons
  /**
   * Sets of rules, from the narrowest to the widest: `session` and `always` add the first one, and `LastingYes`
   * chooses. Empty if only `once` is possible. Each of them would have allowed the call.
   */
  readonly lasting: readonly RuleTexts[]
  /** The file that `always` stores them in. Absent: there is none. */
  readonly keptIn?: string
}

/** `settled` is aborted if the mode decides about the call meanwhile. An answer after that does not count. */
export type AskPermission = (question: PermissionQuestion, settled: AbortSignal) => Promise<PermissionAnswer>

export type PermissionAnswer = 'once' | 'session' | 'always' | 'no' | LastingYes | Refusal

/** Yes, with one of the sets of rules that the question offers. */
export interface LastingYes {
  readonly yes: 'session' | 'always'
  /** Its number in `lasting`, from 0. */
  readonly choice: number
}

/** No, and why. The model sees the reason. */
export interface Refusal {
  readonly no: string
}

/** Decides what may run: by rules, then by asking the user; otherwise it is denied. */
export class PermissionGate {
  readonly #options: PermissionGateOptions
  readonly #root: string
  #session: RuleSet
  /** Only the user changes it. A call is judged by the mode at that moment. */
  mode: PermissionMode
  #asking: Promise<unknown> = Promise.resolve()
  #judgeOpen: (() => void) | undefined

  constructor(options: PermissionGateOptions) {
    this.#options = options
    this.#session = { allow: parsed(options.allowed ?? []), deny: [] }
    this.mode = options.mode ?? 'ask'
    this.#root = realPathOf(options.root) ?? options.root
  }

  /** The rules that the user allowed for this session. */
  get sessionRules(): readonly string[] {
    return this.#session.allow.map(({ text }) => text)
  }

  /** Takes back what the user allowed for this session. */
  forget(text: string): void {
    this.#session = { ...this.#session, allow: this.#session.allow.filter((rule) => rule.text !== text) }
  }

  /** Decides the question that is open now, if the mode of this moment lets its call run or refuses it. */
  judgeOpenQuestion(): void {
    this.#judgeOpen?.()
  }

  /** Bound, so that it can be passed to the tool runner. Never throws: a failure is a denial. */
  readonly permit = async (request: PermissionRequest, failure?: FindFailure): Promise<Permission> => {
    try {
      const permission = await this.#decide(request, failure)
      // A command can read anything, so the sandbox must know what to hide.
      const isCommand = permission.granted && request.touched.command !== undefined
      const denied = isCommand ? this.#deniedReading() : []
      return denied.length > 0 ? { ...permission, granted: true, denied } : permission
    } catch (error) {
      return denied(because('not-judged', error instanceof Error ? error.message : String(error)))
    }
  }

  /**
   * The protected places of a command that may be put back. One question for all that no rule decides. Bound, and never
   * throws: a failure is a denial.
   */
  readonly permitLeft = async (request: LeftRequest): Promise<readonly string[]> => {
    try {
      const judged = this.#judgeLeft(request)
      if (this.mode === 'plan') return []
      const asked = judged.ask.length > 0 ? await this.#inTurn(() => this.#askLeft(request, judged.ask)) : []
      return [...judged.allow, ...asked].map(({ path }) => path)
    } catch {
      // Nothing is lost: they lie where they were taken.
      return []
    }
  }

  #judgeLeft({ places }: LeftRequest): { readonly allow: LeftPlace[]; readonly ask: LeftPlace[] } {
    const stored = this.#options.store?.load(this.#root)
    const rules = merge(this.#origins(stored))
    const world = createWorld(this.#root, this.#options)
    const kindOf = (place: LeftPlace) => {
      const { kind } = judgeLeft(place, rules, world)
      // Unreadable rules may be denials.
      return kind === 'allow' && stored?.kind === 'fault' ? 'ask' : kind
    }
    const kinds = places.map((place) => ({ place, kind: kindOf(place) }))
    const ofKind = (wanted: Verdict['kind']) =>
      kinds.flatMap(({ place, kind }) => (kind === wanted ? [place] : []))
    return { allow: ofKind('allow'), ask: ofKind('ask') }
  }

  async #askLeft(request: LeftRequest, places: readonly LeftPlace[]): Promise<readonly LeftPlace[]> {
    const { ask } = this.#options
    if (ask === undefined) return []
    const paths = places.map(({ path }) => relativeTo(this.#root, path))
    const whole = because('made-protected', shortList(paths))
    const { call, allowed, agent } = request
    const question: PermissionQuestion = {
      ...{ call, allowed, effect: 'write', touched: { paths }, ...(agent !== undefined && { agent }) },
      ...{ ...questionWords({ whole }, undefined), reasons: { whole }, lasting: [] },
    }
    const isPlanning = () => this.mode === 'plan'
    const answer = await this.#answerTo((settled) => ask(question, settled), isPlanning)
    return answer === 'once' && !isPlanning() ? places : []
  }

  async #decide(request: PermissionRequest, failure?: FindFailure): Promise<Permission> {
    const judged = this.#judge(request)
    const { verdict, refusal } = judged
    if (verdict.kind !== 'ask' || refusal || this.#options.ask === undefined) return settle(judged)
    return this.#inTurn(() => this.#askUser(request, failure))
  }

  #judge(request: PermissionRequest): Judged {
    const stored = this.#options.store?.load(this.#root)
    // Unreadable rules may be denials, so nothing is allowed without asking.
    const isBroken = stored?.kind === 'fault'
    const rules = this.#rulesFor(request, this.#origins(stored))
    const world = createWorld(this.#root, this.#options, request.allowed)
    const verdict = judgeRequest(request, rules, world)
    if (this.mode === 'plan' && verdict.kind === 'ask')
      return { verdict, places: undefined, refusal: because('plan-mode') }
    const places = isJudgedByPath(request, rules) ? placesOf(request, world) : undefined
    if (!isBroken || verdict.kind === 'deny' || request.effect === 'read') return { verdict, places }
    const reason =
      verdict.kind === 'ask'
        ? because('broken-rules-and', stored.message, verdict.reason)
        : because('broken-rules', stored.message)
    return { verdict: askAlways(reason), places }
  }

  #rulesFor({ touched }: PermissionRequest, origins: readonly RuleSet[]): RuleSet {
    const confined = touched.command !== undefined && touched.confined === true
    return rulesInMode(this.mode, merge(origins), { confined })
  }

  #origins(stored: ReturnType<PermissionStore['load']> | undefined): readonly RuleSet[] {
    const { rules = [] } = this.#options
    return [...rules, this.#session, ...(stored?.kind === 'rules' ? [stored.rules] : [])]
  }

  #deniedReading(): readonly PathPattern[] {
    const { deny } = merge(this.#origins(this.#options.store?.load(this.#root)))
    return deny.flatMap(({ tool, target }) =>
      readingTools.includes(tool) && target.kind === 'path' ? [target.pattern] : [],
    )
  }

  /** One question at a time, because the answer to one may make the next unnecessary. */
  #inTurn<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    const answer = this.#asking.then(ask)
    this.#asking = answer.catch(() => undefined)
    return answer
  }

  async #askUser(request: PermissionRequest, failure?: FindFailure): Promise<Permission> {
    const judged = this.#judge(request)
    const { verdict, refusal } = judged
    const { ask } = this.#options
    if (verdict.kind !== 'ask' || refusal || ask === undefined) return settle(judged)
    // After the rules, so that a failure tells nothing about a file that they deny.
    const failed = await failure?.(judged.places)
    if (failed) return { granted: false, reason: failed.error.message, failure: failed }
    const question = this.#question(request, verdict)
    const answer = await this.#answerTo(
      (settled) => ask(question, settled),
      () => isSettled(this.#judge(request)),
    )
    if (answer === undefined) return this.#askUser(request, failure)
    if (answer === 'no') return denied(because('user-said-no'))
    if (typeof answer === 'object' && 'no' in answer)
      return denied(because('user-said-no-because', answer.no))
    // Whatever the user was asked, a yes counts only if the mode and the denials of this moment let it.
    const now = this.#judge(request)
    if (now.refusal || now.verdict.kind === 'deny') return settle(now)
    if (answer === 'once') return grant(judged)
    const { yes, choice } = typeof answer === 'object' ? answer : { yes: answer, choice: 0 }
    const isKnown = yes === 'session' || yes === 'always'
    if (!isKnown) return denied(because('unknown-answer', JSON.stringify(answer)))
    const added = this.#remember(question.lasting[choice] ?? [])
    if (yes === 'always') this.#store(added)
    return grant(judged)
  }

  /** The user's answer; undefined if the mode decided before it. */
  async #answerTo(
    ask: (settled: AbortSignal) => Promise<PermissionAnswer>,
    isSettled: () => boolean,
  ): Promise<PermissionAnswer | undefined> {
    const settled = new AbortController()
    const byMode = new Promise<undefined>((resolve) => {
      this.#judgeOpen = () => {
        if (!isSettled()) return
        resolve(undefined)
        settled.abort()
      }
    })
    try {
      return await Promise.race([ask(settled.signal), byMode])
    } finally {
      this.#judgeOpen = undefined
    }
  }

  #question(request: PermissionRequest, verdict: AskVerdict): PermissionQuestion {
    const { store } = this.#options
    const { reason, parts, lineReason } = verdict
    const reasons = {
      whole: reason,
      ...(lineReason && { line: lineReason }),
      ...(parts && { parts: parts.map((part) => part.reason) }),
    }
    return {
      ...{ ...request, ...questionWords(reasons, parts), reasons },
      lasting: verdict.lasting.filter((texts) => this.#wouldAllow(request, texts)),
      ...(store && { keptIn: store.file }),
    }
  }

  /** A rule that would not prevent the question is not offered. */
  #wouldAllow(request: PermissionRequest, texts: RuleTexts): boolean {
    const stored = this.#options.store?.load(this.#root)
    const rules = this.#rulesFor(request, [...this.#origins(stored), { allow: parsed(texts), deny: [] }])
    const world = createWorld(this.#root, this.#options, request.allowed)
    return judgeRequest(request, rules, world).kind === 'allow'
  }

  #remember(texts: RuleTexts): RuleSet['allow'] {
    const rules = parsed(texts)
    this.#session = { ...this.#session, allow: [...this.#session.allow, ...rules] }
    return rules
  }

  /** If the rule cannot be stored, it is still valid for the session. */
  #store(rules: RuleSet['allow']): void {
    const { store, onWarning = () => undefined } = this.#options
    const saving = store?.allow(this.#root, rules) ?? {
      kind: 'fault',
      ...outcomeWords('no-place-for-rules'),
    }
    if (saving.kind === 'fault') onWarning(outcomeWords('session-only', saving.phrase))
  }
}

function parsed(texts: RuleTexts): RuleSet['allow'] {
  return texts.flatMap((text) => {
    const read = parsePermissionRule(text)
    return read.kind === 'rule' ? [read.rule] : []
  })
}

type AskVerdict = Extract<Verdict, { readonly kind: 'ask' }>

/** A verdict, and the real targets of its paths. */
interface Judged {
  readonly verdict: Verdict
  readonly places: Places | undefined
  /** Set if nobody is asked, because the mode forbids it. */
  readonly refusal?: Reason
}

/** Whether nobody has to be asked any more. */
function isSettled({ verdict, refusal }: Judged): boolean {
  return refusal !== undefined || verdict.kind === 'allow'
}

function grant({ places }: Judged): Permission {
  return { granted: true, ...(places && { places }) }
}

/** There are many reads: without a denial of a path nothing was looked up for them. */
function isJudgedByPath({ effect, touched }: PermissionRequest, { deny }: RuleSet): boolean {
  if (touched.paths === undefined) return false
  return effect !== 'read' || deny.some(({ target }) => target.kind === 'path')
}

/** Uses the same lookups as the verdict: nothing is resolved a second time. */
function placesOf({ touched }: PermissionRequest, world: PathWorld): Places {
  return new Map(
    touched.paths?.flatMap((path): [string, string][] => {
      const location = world.locate(path)
      return location ? [[path, location.real]] : []
    }),
  )
}

function denied(because: Reason): Permission {
  const reason = reasonText(because)
  return { granted: false, reason: oneLine(reason.length > 500 ? `${reason.slice(0, 500)}…` : reason) }
}

/** The answer without asking the user. */
function settle(judged: Judged): Permission {
  const { verdict, refusal } = judged
  if (refusal) return denied(refusal)
  switch (verdict.kind) {
    case 'allow':
      return grant(judged)
    case 'deny':
      return denied(because('rule-denies', verdict.rule))
    case 'ask':
      return denied(because('nobody-to-ask-about', remedyFor(verdict.allowedBy), verdict.reason))
    default:
      return verdict satisfies never
  }
}

function remedyFor(rules: readonly string[]): Reason {
  if (rules.length === 0) return because('only-the-user')
  return because('allowed-by', rules.map((rule) => `--allow ${quoteWord(rule)}`).join(' '))
}

function merge(origins: readonly RuleSet[]): RuleSet {
  return { allow: origins.flatMap(({ allow }) => allow), deny: origins.flatMap(({ deny }) => deny) }
}

/**
 * Created for each judgement. It looks up each path on disk on demand, once. Links may change between two judgements,
 * but must not change within one.
 */
function createWorld(
  root: string,
  options: PermissionGateOptions,
  allowed: readonly string[] = [root],
): PathWorld {
  const { roots = [], home = userHome(), configFolder = userConfigFolder() } = options
  const places = once(() => ({
    roots: [root, ...roots.map((folder) => realPathOf(folder) ?? folder)],
    home: realPathOf(home) ?? home,
    configFolder: resolve(configFolder),
  }))
  const protectedPlaces = once(() => new ProtectedPlaces(places()))
  const scope = once(() => new AllowedFolders(places().roots).scopeOf(allowed))
  const world: PathWorld = {
    get roots() {
      return places().roots
    },
    get home() {
      return places().home
    },
    locate: remembering((path) => locate(path, root)),
    isProtected: remembering((path) => protectedPlaces().isProtected(path)),
    entriesOf: remembering(entriesIn),
    identityOf: remembering(identityOf),
    isOpened: (real) => scope().admits(real),
    isQuietRepository: remembering((folder) =>
      places().roots.some(
        (root) => isInside(root, folder) && isQuietRepository(folder, { root, home: places().home }),
      ),
    ),
    holdsGuarded: remembering((folder) => holdsGuarded(folder, world)),
  }
  return world
}

function identityOf(path: string): ReturnType<PathWorld['identityOf']> {
  try {
    const found = lstatSync(path, { bigint: true, throwIfNoEntry: false })
    return found?.isFile() ? { key: `${found.dev}:${found.ino}`, names: Number(found.nlink) } : undefined
  } catch {
    // A folder without search permission: nobody here can read it.
    return undefined
  }
}

function remembering<Value>(find: (path: string) => Value): (path: string) => Value {
  const known = new Map<string, { readonly value: Value }>()
  return (path) => {
    const entry = known.get(path) ?? { value: find(path) }
    known.set(path, entry)
    return entry.value
  }
}

function locate(path: string, root: string): Location | undefined {
  const written = toPath(path, root)
  if (written === undefined || impossiblePath(written)) return undefined
  const real = realPathOrPlanned(written)
  return real === undefined ? undefined : { written, real }
}
