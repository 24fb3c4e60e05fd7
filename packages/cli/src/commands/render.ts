import { existsSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { ContextAssembler, MacroContext, type PreparedSkill } from '@mutsumi/context'
import { canonicalKey, isDocumentPath } from '@mutsumi/context/parts'
import { aboutPlace } from '@mutsumi/host'
import { safeJson } from '@mutsumi/schema'
import { contains, realPathOf, toPosix } from '@mutsumi/tools/parts'
import { settleRun } from '../config/run-settings.js'
import type { AssemblyOptions } from '../flags/options.js'
import { openHost, placeOf, workspaceFolder } from '../place/place.js'
import { Failure, UsageError } from '../terminal/failure.js'
import { printDocument, printLine } from '../terminal/output.js'
import { withProgress } from '../terminal/progress.js'
import { readStandardInput } from '../terminal/standard-input.js'
import { printWarnings } from '../terminal/warnings.js'
import { say } from '../words/say.js'

/** The limit for the document itself. The settings limit what it includes. */
const maximumDocumentBytes = 64 * 1024 * 1024

/** `mutsumi render FILE`: the assembled document on standard output, warnings on standard error. */
export async function runRender(file: string, options: AssemblyOptions): Promise<void> {
  const { content, description, params, includes, warnings } = await withProgress(
    say`Reading`,
    render(file, options),
  )
  if (options.json) return printLine(safeJson({ content, description, params, includes, warnings }))
  printDocument(content)
  printWarnings(warnings)
}

async function render(file: string, options: AssemblyOptions): Promise<PreparedSkill> {
  const { settings } = await settleRun(options)
  const path = file === '-' ? undefined : pastLinks(toPosix(resolve(options.C ?? '.', file)))
  const { workspace, ports, trusted } = await openHost(
    await placeOf({ ...options, C: options.C ?? workspaceFor(path, file) }),
  )
  const assembler = new ContextAssembler(ports, settings.limits)
  const macros = new MacroContext(Object.entries(options.D))
  if (path === undefined)
    return assembler.prepareSkill(await readInput(), { macros, trusted, source: 'standard-input.md' })
  const reading = workspace.read(path, {
    allowed: [workspace.root],
    maxBytes: maximumDocumentBytes,
    maxImageBytes: settings.limits.imageBytes,
  })
  if (reading.kind === 'fault') throw new Failure(aboutPlace(file, reading))
  if (reading.kind !== 'file')
    throw new Failure(
      say`${file}: is ${reading.kind === 'image' ? say`an image` : say`a folder`}, not a document`,
    )
  if (reading.truncated)
    throw new Failure(say`${file}: is larger than ${maximumDocumentBytes / 1024 / 1024} MiB`)
  if (!isDocumentPath(path)) return asItIs(reading.text)
  return assembler.prepareSkill(reading.text, { macros, trusted, source: canonicalKey(path, workspace.root) })
}

/** Source code is never scanned or rewritten. */
function asItIs(content: string): PreparedSkill {
  return { content, description: '', params: [], includes: [], items: [], warnings: [] }
}

/** The current workspace, if the document is in it; else the document's own folder. */
function workspaceFor(path: string | undefined, file: string): string {
  const here = toPosix(workspaceFolder(undefined))
  if (path === undefined || contains(here, path)) return here
  if (!existsSync(dirname(path))) throw new Failure(say`${file}: not found`)
  return dirname(path)
}

/** The real folder of a document. Its own name stays, even if it is a link, because that is the name the user gave. */
function pastLinks(path: string): string {
  const folder = realPathOf(dirname(path))
  return folder === undefined ? path : toPosix(join(folder, basename(path)))
}

async function readInput(): Promise<string> {
  const text = await readStandardInput()
  if (text === undefined) throw new UsageError(say`there is nothing on standard input; give a FILE`)
  return text
}
