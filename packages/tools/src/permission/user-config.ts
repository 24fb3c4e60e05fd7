import { randomUUID } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import type { ZodType } from 'zod'
import { errorCode } from '../workspace/faults.js'

/** The user's own folder for settings: no project's file ever lies here. */
export function userConfigFolder(env: NodeJS.ProcessEnv = process.env, home: string = homedir()): string {
  const { MUTSUMI_CONFIG_DIR: own = '', XDG_CONFIG_HOME: shared = '' } = env
  // The XDG specification: a path that is not absolute is to be ignored. Ours would depend on the project.
  if (isAbsolute(own)) return own
  return join(isAbsolute(shared) ? shared : join(home, '.config'), 'mutsumi')
}

export type ConfigReading<Content> =
  | { readonly kind: 'content'; readonly content: Content }
  | { readonly kind: 'missing' }
  | { readonly kind: 'fault'; readonly message: string }

export type Saving = { readonly kind: 'saved' } | { readonly kind: 'fault'; readonly message: string }

/** A JSON file of the user's config. One that cannot be read is told apart from one that is not there. */
export function readConfigFile<Content>(file: string, schema: ZodType<Content>): ConfigReading<Content> {
  try {
    const parsed = schema.safeParse(JSON.parse(readFileSync(file, 'utf8')))
    if (parsed.success) return { kind: 'content', content: parsed.data }
    return {
      kind: 'fault',
      message: `${file} does not have the form it should: ${parsed.error.issues[0]?.message}`,
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { kind: 'missing' }
    return { kind: 'fault', message: `${file} could not be read: ${errorCode(error)}` }
  }
}

/** Whole or not at all, and for the user's eyes only. */
export function writeConfigFile(file: string, content: object): Saving {
  const temporary = `${file}.${randomUUID()}`
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeThrough(temporary, `${JSON.stringify(content, null, 2)}\n`)
    renameSync(temporary, file)
    return { kind: 'saved' }
  } catch (error) {
    rmSync(temporary, { force: true })
    return { kind: 'fault', message: `${file} could not be written: ${errorCode(error)}` }
  }
}

function writeThrough(file: string, text: string): void {
  const descriptor = openSync(file, 'wx', 0o600)
  try {
    writeFileSync(descriptor, text)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
