import { dirname, join } from 'node:path'
import { array, object, string } from 'zod'
import { realPathOf } from '../workspace/real-path.js'
import { withConfigLock } from './config-lock.js'
import {
  type ConfigReading,
  readConfigFile,
  type Saving,
  userConfigFolder,
  writeConfigFile,
} from './user-config.js'

export interface TrustStoreOptions {
  /** Where `trusted.json` lies. */
  readonly folder?: string
  readonly onWarning?: (message: string) => void
}

/**
 * The folders whose own config, rules and servers the user lets work. Real paths only: a link that is
 * turned to another folder takes no trust with it.
 */
export class TrustStore {
  readonly #file: string
  readonly #warn: (message: string) => void

  constructor({ folder = userConfigFolder(), onWarning = () => undefined }: TrustStoreOptions = {}) {
    this.#file = join(folder, 'trusted.json')
    this.#warn = onWarning
  }

  /** Inside a trusted folder everything is trusted, unless a nearer folder is distrusted. */
  isTrusted(root: string): boolean {
    const path = realPathOf(root)
    const reading = this.#read()
    if (reading.kind === 'fault') this.#warn(`${reading.message}; no folder is trusted until it is repaired`)
    if (path === undefined || reading.kind === 'fault') return false
    const { trusted, distrusted } = reading.content
    const nearest = upwards(path).find((folder) => trusted.includes(folder) || distrusted.includes(folder))
    return nearest !== undefined && !distrusted.includes(nearest)
  }

  trust(root: string): Saving {
    return this.#change(root, 'trusted')
  }

  distrust(root: string): Saving {
    return this.#change(root, 'distrusted')
  }

  #change(root: string, list: keyof TrustFile): Saving {
    const path = realPathOf(root)
    if (path === undefined) return { kind: 'fault', message: `${root} is not a folder that can be found` }
    if (list === 'trusted' && path === dirname(path)) {
      return { kind: 'fault', message: `${path} holds every folder there is; trust one that you know` }
    }
    return withConfigLock(this.#file, () => this.#move(path, list))
  }

  #move(path: string, list: keyof TrustFile): Saving {
    const reading = this.#read()
    if (reading.kind === 'fault') {
      return { kind: 'fault', message: `${reading.message}; repair or remove it first` }
    }
    const { trusted, distrusted } = reading.content
    const others = { trusted: without(trusted, path), distrusted: without(distrusted, path) }
    return writeConfigFile(this.#file, { ...others, [list]: [...others[list], path] })
  }

  #read(): TrustReading {
    const reading = readConfigFile(this.#file, trustFile)
    return reading.kind === 'missing'
      ? { kind: 'content', content: { trusted: [], distrusted: [] } }
      : reading
  }
}

type TrustReading = Exclude<ConfigReading<TrustFile>, { readonly kind: 'missing' }>

interface TrustFile {
  readonly trusted: readonly string[]
  readonly distrusted: readonly string[]
}

const trustFile = object({ trusted: array(string()), distrusted: array(string()).default([]) })

/** The folder, then the one around it, up to the root. */
function upwards(path: string): string[] {
  const folders = [path]
  for (let at = path; dirname(at) !== at; at = dirname(at)) folders.push(dirname(at))
  return folders
}

function without(paths: readonly string[], path: string): readonly string[] {
  return paths.filter((other) => other !== path)
}
