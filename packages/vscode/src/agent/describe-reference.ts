import { lengthTokenCounter } from '@mutsumi/context'
import { parseReference } from '@mutsumi/context/parts'
import type { FileReading, LineRange, Reading } from '@mutsumi/schema'
import { filePath, withSlashes } from '../language/workspace-path.js'
import type { AgentParts } from './run-cell.js'

/** The target of a reference, and the tokens that it takes in a request. */
export type DescribedReference =
  | DescribedFile
  | { readonly kind: 'folder'; readonly entries: number }
  | { readonly kind: 'picture' }
  | { readonly kind: 'tool'; readonly name: string }
  | { readonly kind: 'fault'; readonly message: string }

export interface DescribedFile {
  readonly kind: 'file'
  readonly lines: number
  readonly tokens: number
  /** Its first lines. */
  readonly sample: string
  /** The ending of its name. */
  readonly language: string
}

const shownLines = 12
const largest = 256 * 1024

/** The parts of an agent that read files. */
export type ReadingParts = Pick<AgentParts, 'toolbox' | 'run'>

/** Describes the target of a reference. Does not run tools. */
export async function describeReference(parts: ReadingParts, content: string): Promise<DescribedReference> {
  const reference = parseReference(content)
  if (reference.kind === 'invalid') return { kind: 'fault', message: reference.problem }
  if (reference.kind === 'tool') return { kind: 'tool', name: reference.name }
  return describePath(parts, reference)
}

/** Describes a file or a folder. */
export async function describePath(
  parts: ReadingParts,
  { path, range }: { readonly path: string; readonly range?: LineRange | undefined },
): Promise<DescribedReference> {
  const { root } = parts.toolbox.workspace
  const reading = readAllowed(parts, withSlashes(filePath(path, root)), range)
  switch (reading.kind) {
    case 'file':
      return describeText(shownText(reading, range), path)
    case 'directory':
      return { kind: 'folder', entries: reading.entries.length }
    case 'image':
      return { kind: 'picture' }
    case 'fault':
      return { kind: 'fault', message: reading.message }
    default:
      return reading satisfies never
  }
}

/** Reads as much of a file as a hover needs, if the agent may read it. */
export function readAllowed(
  { toolbox: { workspace }, run: { folders = [] } }: ReadingParts,
  path: string,
  range?: LineRange,
): Reading {
  return workspace.read(path, {
    ...{ allowed: [workspace.root, ...folders], maxBytes: largest, maxImageBytes: 0 },
    ...(range ? { lines: range } : {}),
  })
}

/** Only of a large file its reader reads a part. */
function shownText({ text, lines }: FileReading, range: LineRange | undefined): string {
  if (!range || lines) return text
  return text
    .split('\n')
    .slice(range.start - 1, range.end)
    .join('\n')
}

/** Describes the text of a file. */
export function describeText(text: string, path: string): DescribedFile {
  const lines = text.split('\n')
  const more = lines.length > shownLines ? '\n…' : ''
  return {
    ...{ kind: 'file', lines: lines.length, tokens: lengthTokenCounter.count(text) },
    sample: `${lines.slice(0, shownLines).join('\n')}${more}`,
    language: /\.(\w+)$/.exec(path)?.[1] ?? '',
  }
}
