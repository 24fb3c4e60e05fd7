import { join } from 'node:path'
import { array, object, type output, string } from 'zod'
import { realPathOf } from '../workspace/real-path.js'
import { withConfigLock } from './config-lock.js'
import { foldersFrom, readConfigFile, type Saving, userConfigFolder, writeConfigFile } from './user-config.js'

/** What Mutsumi offers to do for a folder, once. */
export type OfferName = 'rules'

/** The folders for which the user refused an offer. A refusal covers all folders below. */
export class RefusedOffers {
  readonly #file: string

  constructor(folder: string = userConfigFolder()) {
    this.#file = join(folder, 'offers.json')
  }

  /** A file that cannot be read is no reason to ask: the answer could not be kept either. */
  isRefused(offer: OfferName, root: string): boolean {
    const reading = readConfigFile(this.#file, offersFile)
    if (reading.kind !== 'content') return reading.kind === 'fault'
    const refused = new Set(reading.content.refused[offer])
    return foldersFrom(realPathOf(root) ?? root).some((folder) => refused.has(folder))
  }

  refuse(offer: OfferName, root: string): Saving {
    return withConfigLock(this.#file, () => {
      const reading = readConfigFile(this.#file, offersFile)
      if (reading.kind === 'fault') return reading
      const refused: RefusedFolders = reading.kind === 'content' ? reading.content.refused : { rules: [] }
      const folders = new Set([...refused[offer], realPathOf(root) ?? root])
      return writeConfigFile(this.#file, { refused: { ...refused, [offer]: [...folders] } })
    })
  }
}

const offersFile = object({ refused: object({ rules: array(string()).default([]) }) })

type RefusedFolders = output<typeof offersFile>['refused']
