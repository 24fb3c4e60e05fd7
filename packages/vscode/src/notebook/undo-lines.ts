import type { FileOutcome, UndoPlan } from '@mutsumi/agent'

/** A line of an undo's plan, as a person sees it before they agree. */
export type UndoLine =
  | { readonly kind: 'round'; readonly number: number; readonly prompt: string }
  | {
      readonly kind: 'change' | 'stay'
      readonly path: string
      readonly effect: 'create' | 'change' | 'delete'
      /** `+3 -1`; empty for a file that is not a text. */
      readonly size: string
      readonly outcome: FileOutcome
      readonly reason?: string
      /** Its earlier content is on another machine, or was removed. */
      readonly missing?: true
      /** The diff from the current content. */
      readonly diff: string
    }
  /** Effects of the rounds that are not known. */
  | { readonly kind: 'unseen'; readonly why: string }
  | { readonly kind: 'commands' }
  | { readonly kind: 'tools'; readonly names: string }

/** Rounds, then files that change, then files that stay, then unknown effects. */
export function undoLines({ rounds, files, unknown }: UndoPlan): readonly UndoLine[] {
  const { commands, unseen, tools } = unknown
  return [
    ...rounds.map(({ number, prompt }) => ({ kind: 'round' as const, number, prompt: firstLine(prompt) })),
    ...files.filter(({ outcome }) => isRestored(outcome)).map((file) => fileLine('change', file)),
    ...files.filter(({ outcome }) => !isRestored(outcome)).map((file) => fileLine('stay', file)),
    ...(unseen === undefined ? [] : [{ kind: 'unseen' as const, why: unseen }]),
    ...(unseen === undefined && commands > 0 ? [{ kind: 'commands' as const }] : []),
    ...(tools.size === 0 ? [] : [{ kind: 'tools' as const, names: [...tools.keys()].join(', ') }]),
  ]
}

/** How many files change, and how many stay as they are although the rounds changed them. */
export function undoCounts({ files }: Pick<UndoPlan, 'files'>): {
  readonly changing: number
  readonly staying: number
} {
  const changing = files.filter(({ outcome }) => isRestored(outcome)).length
  return { changing, staying: files.length - changing }
}

function fileLine(kind: 'change' | 'stay', file: UndoPlan['files'][number]): UndoLine {
  const { path, effect, outcome, added, removed, binary, diff, reason, missing } = file
  const size = binary ? '' : `+${added} -${removed}`
  const why = { ...(reason !== undefined && { reason }), ...(missing && { missing }) }
  return { kind, path, effect, size, outcome, diff, ...why }
}

function isRestored(outcome: FileOutcome): boolean {
  return outcome === 'restore' || outcome === 'restore-edited'
}

function firstLine(prompt: string): string {
  const [first = '', ...more] = prompt.trim().split('\n')
  return first.length > 70 || more.length > 0 ? `${first.slice(0, 70)} …` : first
}
