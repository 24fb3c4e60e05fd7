import { readConfigFiles } from '@mutsumi/host'
import type { LocalServer, Preset, ResolvedModel } from '@mutsumi/model'
import { safeJson } from '@mutsumi/schema'
import type { ConfiguredModel, ListedServer, ModelListing } from '../drawing/draw-models.js'
import type { WorkspaceFlags } from '../flags/options.js'
import { placeOf } from '../place/place.js'
import { printHostNote, printLine, printReport } from '../terminal/output.js'
import { withProgress } from '../terminal/progress.js'
import { say, sayFault } from '../words/say.js'

/** `mutsumi models`: which models can be used here, and how. */
export async function runModels(options: WorkspaceFlags & { readonly json?: boolean }): Promise<void> {
  const listing = await withProgress(say`Looking for servers on this machine`, listModels(options))
  if (options.json) return printLine(safeJson({ ...listing, presets: listing.presets.map(forPrograms) }))
  printReport((await import('../drawing/draw-models.js')).drawModels(listing))
}

/** Words as data are for people who read another language. */
function forPrograms({ missingPhrase: _, ...preset }: Preset): Preset {
  return preset
}

async function listModels(options: WorkspaceFlags): Promise<ModelListing> {
  const place = await placeOf(options)
  const { user, project } = readConfigFiles(place, printHostNote)
  const { findLocalServers, listPresets, resolveModelChoice } = await import('@mutsumi/model')
  const resolved = resolveModelChoice({
    environment: process.env,
    userConfig: user,
    projectConfig: project,
    trusted: place.trusted,
  })
  return {
    configured: configuredOf(resolved),
    presets: listPresets(process.env),
    local: (await findLocalServers()).map(listedServer),
  }
}

function configuredOf({ choice, fault }: ResolvedModel): ConfiguredModel | null {
  if (fault) return { problem: sayFault(fault) }
  if (!choice) return null
  const { provider, name, source } = choice
  const model = provider === 'offline' ? name : `${provider}${provider === 'scripted' ? ':' : '/'}${name}`
  return { model, source }
}

export function listedServer({ models, ...server }: LocalServer): ListedServer {
  return { ...server, models: models.map((model) => ({ ...model, model: `${server.provider}/${model.id}` })) }
}
