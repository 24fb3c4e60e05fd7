import type { DirectoryReading } from '@mutsumi/schema'
import { array, boolean, number, type output, strictObject, string } from 'zod'
import { defineTool, fail, type ToolOutcome } from '../contract/define-tool.js'
import { notAPath, parsePathArgument, refuse } from '../contract/path-argument.js'
import { oneLine } from '../ground/one-line.js'
import { lsDescription } from '../prompts/descriptions.js'
import { outcomeText } from '../reasons/outcome.js'
import { isHostile } from '../workspace/git-ignore.js'

type Entry = DirectoryReading['entries'][number]

const parameters = strictObject({
  path: string().default('.'),
  offset: number().int().min(0).default(0),
  limit: number().int().min(1).max(200).default(100),
  include_hidden: boolean().default(false),
  ignore: array(string().refine((pattern) => !isHostile(pattern), 'has too many stars or letters'))
    .max(100)
    .default([]),
})

/** Lists one folder. */
export const ls = defineTool({
  ...lsDescription,
  parameters,
  touches: ({ path }) => ({ paths: [path] }),
  async run(args, { workspace, allowed }) {
    const path = parsePathArgument(args.path, workspace.root)
    if (path === undefined) return notAPath(args.path)
    const reading = workspace.list(path.absolute, allowed)
    if (reading.kind === 'fault') return refuse(path, reading)
    if (reading.kind === 'file')
      return fail('INVALID_PARAM', outcomeText('about', oneLine(path.shown), outcomeText('is-file-read')))
    return describe(path.shown, await wanted(reading.entries, args), args)
  },
})

async function wanted(entries: readonly Entry[], args: output<typeof parameters>): Promise<readonly Entry[]> {
  const visible = args.include_hidden ? entries : entries.filter(({ name }) => !name.startsWith('.'))
  if (args.ignore.length === 0) return visible
  const { default: ignore } = await import('ignore')
  const rules = ignore().add(args.ignore)
  return visible.filter(({ name, directory }) => !rules.ignores(directory ? `${name}/` : name))
}

function describe(
  path: string,
  entries: readonly Entry[],
  { offset, limit }: output<typeof parameters>,
): ToolOutcome {
  const shown = entries.slice(offset, offset + limit)
  const end = offset + shown.length
  const truncated = end < entries.length
  const data = {
    path,
    entries: shown.map(({ name, directory }) => ({
      path: path === '.' ? name : `${path === '/' ? '' : path}/${name}`,
      type: directory ? 'directory' : 'file',
    })),
    total: entries.length,
    truncated,
    ...(truncated && shown.length > 0 && { notes: [`go on with offset ${end}`] }),
  }
  const lines = shown.map(({ name, directory }) => `${directory ? '[DIR]' : '[FILE]'} ${oneLine(name)}`)
  if (entries.length === 0) lines.push('(empty directory)')
  else if (shown.length === 0)
    lines.push(`(nothing from offset ${offset} on: there are ${entries.length} entries)`)
  else if (truncated) lines.push(`(${end} of ${entries.length} entries; go on with offset ${end})`)
  return { status: truncated ? 'partial' : 'success', data, text: lines.join('\n') }
}
