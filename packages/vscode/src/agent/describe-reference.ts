import { lengthTokenCounter } from '@mutsumi/context'
import { parseReference } from '@mutsumi/context/parts'
import { filePath, withSlashes } from '../language/workspace-path.js'
import type { AgentParts } from './run-cell.js'

export interface DescribedReference {
  /** Its kind, and the tokens that it takes in a request. */
  readonly about: string
  /** The beginning of its content. */
  readonly sample: string
  readonly language: string
}

const shownLines = 12
const largest = 256 * 1024

/** Describes the target of a reference. Does not run tools. */
export async function describeReference(
  { toolbox: { workspace } }: AgentParts,
  content: string,
): Promise<DescribedReference> {
  const reference = parseReference(content)
  if (reference.kind === 'invalid') return plain(reference.problem)
  if (reference.kind === 'tool') return plain(`${reference.name}: runs when the prompt is sent`)
  const path = withSlashes(filePath(reference.path, workspace.root))
  const reading = workspace.read(path, {
    allowed: [workspace.root],
    maxBytes: largest,
    maxImageBytes: 0,
    ...(reference.range ? { range: reference.range } : {}),
  })
  switch (reading.kind) {
    case 'file': {
      const lines = reading.text.split('\n')
      const tokens = lengthTokenCounter.count(reading.text)
      const more = lines.length > shownLines ? '\n…' : ''
      return {
        about: `${lines.length} lines, about ${tokens} tokens`,
        sample: `${lines.slice(0, shownLines).join('\n')}${more}`,
        language: /\.(\w+)$/.exec(reference.path)?.[1] ?? '',
      }
    }
    case 'directory':
      return plain(`${reading.entries.length} entries`)
    case 'image':
      return plain('a picture')
    case 'fault':
      return plain(reading.message)
    default:
      return reading satisfies never
  }
}

function plain(about: string): DescribedReference {
  return { about, sample: '', language: '' }
}
