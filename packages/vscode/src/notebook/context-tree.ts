import type { LayerTokens, ReportedItem } from '@mutsumi/context'

/** The parts of a preview that the context view needs. */
export interface ContextReading {
  readonly model: string
  readonly items: readonly ReportedItem[]
  readonly projectRules: readonly { readonly name: string; readonly tokens: number }[]
  readonly tokens: {
    readonly total: number
    readonly byLayer: LayerTokens
    readonly window: number
    readonly threshold: number
  }
  readonly macros: Readonly<Record<string, string>>
}

/** A line of the context view. */
export interface ContextNode {
  readonly id: string
  readonly kind: 'problem' | 'total' | 'layer' | 'group' | 'item' | 'macro' | 'project-rule'
  readonly label: string
  readonly description: string
  /** For layers: a name that the editor translates. */
  readonly name?: string
  readonly item?: ReportedItem
  readonly children?: readonly ContextNode[]
}

/** The request as a tree: its tokens in total, by layer, and by item. */
export function contextTree({ items, projectRules, tokens, macros }: ContextReading): readonly ContextNode[] {
  const { total, threshold, window, byLayer } = tokens
  const left = Math.max(0, threshold - total)
  return [
    {
      ...{ id: 'total', kind: 'total', name: 'total', label: 'total' },
      description: `${count(total)} / ${count(threshold)} (${percent(total, threshold)})`,
      children: [
        { id: 'left', kind: 'layer', name: 'left', label: 'left', description: count(left) },
        {
          ...{ id: 'window', kind: 'layer', name: 'window', label: 'window' },
          description: `${count(total)} / ${count(window)} (${percent(total, window)})`,
        },
      ],
    },
    {
      ...{ id: 'layers', kind: 'group', name: 'layers', label: 'layers', description: '' },
      children: Object.entries(byLayer).flatMap(([name, size]) =>
        size > 0
          ? [{ id: `layer:${name}`, kind: 'layer' as const, name, label: name, description: count(size) }]
          : [],
      ),
    },
    ...projectGroup(projectRules),
    ...itemGroup('rule', items),
    ...itemGroup('file', items),
    ...itemGroup('tool', items),
    ...macroGroup(macros),
  ]
}

function projectGroup(rules: ContextReading['projectRules']): readonly ContextNode[] {
  if (rules.length === 0) return []
  const children = rules.map(({ name, tokens }) => ({
    ...{ id: `project:${name}`, kind: 'project-rule' as const, label: name, description: count(tokens) },
  }))
  return [{ id: 'project', kind: 'group', name: 'project', label: 'project', description: '', children }]
}

function itemGroup(type: ReportedItem['type'], items: readonly ReportedItem[]): readonly ContextNode[] {
  const own = items.filter((item) => item.type === type)
  if (own.length === 0) return []
  const sent = own.filter(({ dropped, stub }) => !dropped && !stub)
  const size = sent.reduce((sum, { tokens }) => sum + tokens, 0)
  const children = own.map((item) => ({
    ...{ id: `${type}:${item.key}`, kind: 'item' as const, label: item.key, item },
    description: count(item.tokens),
  }))
  return [{ id: type, kind: 'group', name: type, label: type, description: count(size), children }]
}

function macroGroup(macros: Readonly<Record<string, string>>): readonly ContextNode[] {
  const names = Object.keys(macros)
  if (names.length === 0) return []
  const children = names.map((name) => ({
    ...{ id: `macro:${name}`, kind: 'macro' as const, label: name, description: macros[name] ?? '' },
  }))
  return [{ id: 'macros', kind: 'group', name: 'macros', label: 'macros', description: '', children }]
}

/** 812, 4.2k, 160k. */
export function count(tokens: number): string {
  if (tokens < 1000) return String(tokens)
  const thousands = tokens / 1000
  return `${thousands < 10 ? thousands.toFixed(1) : Math.round(thousands)}k`
}

/** The file that a line of the view is about, without its lines; undefined if it is about none in the workspace. */
export function fileOfNode({ kind, item, label }: ContextNode): string | undefined {
  if (label.startsWith('user:')) return undefined
  if (kind === 'project-rule') return label
  if (item === undefined || item.type === 'tool') return undefined
  // A rule is named by its file; one of a folder, by its path.
  if (item.type === 'rule') return item.key.includes('/') ? item.key : `.mutsumi/rules/${item.key}`
  return item.key.replace(/:\d+(?::\d+)?$/, '')
}

function percent(part: number, whole: number): string {
  return `${Math.round((100 * part) / Math.max(1, whole))} %`
}

/** The state of an item for `when` clauses, which decide what can be done with it. */
export function itemState({ type, pinned, dropped }: ReportedItem): string {
  return `${type}${pinned ? ' pinned' : ''}${dropped ? ' dropped' : ''}`
}
