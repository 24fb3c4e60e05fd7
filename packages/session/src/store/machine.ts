import { createHash } from 'node:crypto'
import { readFileSync, readlinkSync, statfsSync } from 'node:fs'
import { hostname, uptime } from 'node:os'
import { errorCode } from './session-fault.js'

/** The facts about this machine that a process can find out. Tests pass others. */
export interface Machine {
  readonly host: string
  /** Identifies this boot of the machine. Only Linux provides it. */
  readonly boot?: string
  /** Identifies the machine independently of its host name. */
  readonly machine?: string
  /** The pid namespace of this process. */
  readonly space?: string
  /** When the machine was started, in milliseconds, by its current clock. */
  readonly bootedAt?: number
  readonly processOf: (pid: number) => RunningProcess | 'none'
}

export interface RunningProcess {
  /** Ticks from the machine's start to its own. */
  readonly started?: string
  /** The same as a time in milliseconds, rounded. */
  readonly startedAt?: number
  /** It has ended, but its parent has not collected its status (a zombie). */
  readonly isDead?: boolean
}

export function thisMachine(): Machine {
  const bootedAt = Date.now() - uptime() * 1000
  return {
    host: hostname(),
    ...given('boot', readText('/proc/sys/kernel/random/boot_id')?.trim()),
    ...given('machine', machineOf(readText('/etc/machine-id')?.trim())),
    ...given('space', spaceOf()),
    bootedAt,
    processOf: (pid) => processOf(pid, bootedAt),
  }
}

/**
 * Whether other machines may write to the disk of a path. Only Linux can tell; any file system that is not known to be
 * local (NFS, SMB, FUSE, 9p …) counts as shared.
 */
export function isOnSharedDisk(path: string): boolean {
  if (process.platform !== 'linux') return false
  try {
    return !localDisks.has(statfsSync(path).type)
  } catch {
    return true
  }
}

// ext2 to ext4, XFS, Btrfs, tmpfs, overlay, F2FS, ZFS, bcachefs, ramfs, eCryptfs: as `man 2 statfs` names them.
const localDisks = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010, 0x2fc12fc1, 0xca451a4e, 0x858458f6,
  0xf15f,
])

/** Hashed, because the plain id could be used to recognise the machine elsewhere. */
function machineOf(id: string | undefined): string | undefined {
  // Container images have no id, or a word instead of it.
  if (id === undefined || !/^[0-9a-f]{32}$/.test(id)) return undefined
  return createHash('sha256').update(`mutsumi lock ${id}`).digest('hex').slice(0, 16)
}

function processOf(pid: number, bootedAt: number): RunningProcess | 'none' {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // Any error other than "no such process" means that it runs and belongs to another user.
    if (errorCode(error) === 'ESRCH') return 'none'
  }
  return process.platform === 'linux' ? ofStat(pid, bootedAt) : ofPs(pid)
}

const ticksPerSecond = 100

/** `pid (any name) state …`; the start time is the 22nd field. */
function ofStat(pid: number, bootedAt: number): RunningProcess {
  const text = readText(`/proc/${pid}/stat`)
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ')
  const started = fields?.[19]
  if (started === undefined) return {}
  const startedAt = bootedAt + (Number(started) / ticksPerSecond) * 1000
  return { started, startedAt, isDead: /^[ZXx]$/.test(fields?.[0] ?? '') }
}

/** It is needed only if a lock exists, so it may take some milliseconds. Windows has no `ps`. */
function ofPs(pid: number): RunningProcess {
  if (process.platform === 'win32') return {}
  // Loaded here, because a run that finds no lock does not need it.
  const { spawnSync } = process.getBuiltinModule('node:child_process')
  const { stdout } = spawnSync('ps', ['-o', 'etime=', '-p', String(pid)], { encoding: 'utf8', timeout: 2000 })
  const age = elapsedSeconds(stdout ?? '')
  return age === undefined ? {} : { startedAt: Date.now() - age * 1000 }
}

/** `[[days-]hours:]minutes:seconds`, as POSIX has it. */
export function elapsedSeconds(text: string): number | undefined {
  const parts = /^\s*(?:(?:(\d+)-)?(\d+):)?(\d+):(\d+)\s*$/.exec(text)
  if (!parts) return undefined
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = parts.slice(1).map((part) => Number(part ?? 0))
  return ((days * 24 + hours) * 60 + minutes) * 60 + seconds
}

function spaceOf(): string | undefined {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return undefined
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function given<K extends string>(key: K, value: string | undefined): { readonly [key in K]?: string } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [key in K]: string })
}
