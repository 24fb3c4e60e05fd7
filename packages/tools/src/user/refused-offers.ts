import { join } from 'node:path'
import { isJsonObject } from '@mutsumi/schema'
import { readOwnFile } from '../workspace/project-file.js'
import { realPathOf } from '../workspace/real-path.js'
import { withConfigLock } from './config-lock.js'
import { foldersFrom, type Saving, userConfigFolder, writeConfigFile } from './user-config.js'

/** An offer that Mutsumi makes once per folder. */
export type OfferName = 'rules'

type RefusedFolders = Readonly<Partial<Record<string, readonly string[]>>>

/**
 * The folders for which the user refused an offer. A refusal covers all folders below. Every conversation looks here, so
 * it is read without zod, which takes longer to load than all the rest of it.
 */
export class RefusedOffers {
  readonly #file: string

  constructor(folder: string = userConfigFolder()) {
    this.#file = join(folder, 'offers.json')
  }

  /** A file that cannot be read is no reason to ask: the answer could not be kept either. */
  isRefused(offer: OfferName, root: string): boolean {
    const refused = this.#read()
    if (!refused) return true
    const folders = new Set(refused[offer])
    return foldersFrom(realPathOf(root) ?? root).some((folder) => folders.has(folder))
  }

  refuse(offer: OfferName, root: string): Saving {
    return withConfigLock(this.#file, () => {
      const refused = this.#read()
      if (!refused) return { kind: 'fault', message: `${this.#file} is damaged; repair or remove it first` }
      const folders = new Set([...(refused[offer] ?? []), realPathOf(root) ?? root])
      return writeConfigFile(this.#file, { refused: { ...refused, [offer]: [...folders] } })
    })
  }

  /** Undefined if the file is there, but is not what was written. */
  #read(): RefusedFolders | undefined {
    const reading = readOwnFile(this.#file)
    if (reading.kind === 'missing') return {}
    const refused = reading.kind === 'fault' ? undefined : refusedIn(reading.text)
    return refused && isListOfFolders(refused) ? refused : undefined
  }
}

function refusedIn(text: string): object | undefined {
  try {
    const content: unknown = JSON.parse(text)
    return isJsonObject(content) && isJsonObject(content.refused) ? content.refused : undefined
  } catch {
    // Somebody edited it, or the disk was full: it is reported when it would be written.
    return undefined
  }
}

function isListOfFolders(value: object): value is RefusedFolders {
  return Object.values(value).every(
    (folders) => Array.isArray(folders) && folders.every((folder) => typeof folder === 'string'),
  )
}
