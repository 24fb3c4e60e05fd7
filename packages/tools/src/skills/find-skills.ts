import { statSync } from 'node:fs'
import { join } from 'node:path'
import { safeLine, type Warning } from '@mutsumi/schema'
import { hashText } from '../ground/hash-text.js'
import type { SkillFile } from '../trust/project-allowances.js'
import { userHome } from '../user/user-home.js'
import { relativeTo, toPosix } from '../workspace/paths.js'
import { Workspace } from '../workspace/workspace.js'
import { readSkillText } from './front-matter.js'

/** Something that the agent can be taught when it is needed. */
export interface Skill {
  readonly name: string
  /** When it is needed, in one line. */
  readonly description: string
  readonly origin: 'workspace' | 'home'
  /** False for a workspace that the user does not vouch for: what its skill says is data. */
  readonly trusted: boolean
  /** Absolute, POSIX separators. */
  readonly folder: string
  /** Names of what it wants to be told. */
  readonly params: readonly string[]
  /** `SKILL.md` as it is on disk. */
  readonly text: string
  /** What it says below its front matter. */
  readonly body: string
}

export interface FindSkillsOptions {
  readonly workspace: Workspace
  /** What the session may read of the workspace; all of it where absent. */
  readonly allowed?: readonly string[]
  /** The user vouches for the workspace. */
  readonly trusted?: boolean
  /** Hashes of the skills that the user saw when they did: others of the workspace are not trusted. Absent: all are. */
  readonly approved?: ReadonlySet<string>
  /** The user's home folder, where it is not the process's. */
  readonly home?: string
}

export interface FoundSkills {
  /** Sorted by name. */
  readonly skills: readonly Skill[]
  readonly warnings: readonly Warning[]
}

/** Of two skills with one name, the one in the folder named first is taken. */
const skillFolders = ['.mutsumi/skills', '.agents/skills']
/** Of another agent: looked at only in a workspace that is trusted. */
const furtherFolders = ['.claude/skills']
export const longestFile = 256 * 1024
/** So many in one folder are read; each is a file on the way to the first prompt. */
const mostSkills = 200

/** A folder that skills are looked for in, and how it may be read. */
export interface SkillFolder {
  readonly workspace: Workspace
  readonly allowed: readonly string[]
  readonly folders: readonly string[]
  readonly origin: Skill['origin']
  isTrusted(text: string): boolean
}

/**
 * Finds the skills of the workspace and of the home folder. On equal names the workspace's is taken, but a
 * workspace that is not trusted cannot put its own in the place of the user's.
 */
export async function findSkills(options: FindSkillsOptions): Promise<FoundSkills> {
  const found = await Promise.all(skillPlaces(options).map(skillsIn))
  return {
    skills: firstOfEachName(found.flatMap(({ skills }) => skills)),
    warnings: found.flatMap(({ warnings }) => warnings),
  }
}

/** Where the user's own instructions are, those that are taken on equal names first. */
export function skillPlaces(options: FindSkillsOptions): readonly SkillFolder[] {
  const { workspace, allowed = [workspace.root], trusted = false, approved, home = userHome() } = options
  const ours: SkillFolder = {
    workspace,
    allowed,
    folders: trusted ? [...skillFolders, ...furtherFolders] : skillFolders,
    origin: 'workspace',
    isTrusted: (text) => trusted && (approved === undefined || approved.has(hashText(text))),
  }
  return trusted ? [ours, ...homePlace(home)] : [...homePlace(home), ours]
}

/** Links may lead anywhere in the user's own home, as they do with dotfiles, and not out of it. */
function homePlace(home: string): readonly SkillFolder[] {
  if (!statSync(home, { throwIfNoEntry: false })?.isDirectory()) return []
  const workspace = new Workspace({ root: home })
  const allowed = [workspace.root]
  return [{ workspace, allowed, folders: skillFolders, origin: 'home', isTrusted: () => true }]
}

/** The files of the workspace's skills as they are, for the user to trust: sound or not. */
export function readSkillFiles(workspace: Workspace): readonly SkillFile[] {
  const allowed = [workspace.root]
  return [...skillFolders, ...furtherFolders]
    .flatMap((name) => foldersIn(`${workspace.root}/${name}`, { workspace, allowed }))
    .flatMap((folder) => {
      const path = `${folder}/SKILL.md`
      const reading = workspace.read(path, { allowed, maxBytes: longestFile, maxImageBytes: 0 })
      return reading.kind === 'file' ? [{ name: relativeTo(workspace.root, folder), text: reading.text }] : []
    })
}

async function skillsIn(place: SkillFolder): Promise<FoundSkills> {
  const folders = place.folders.flatMap((name) => foldersIn(toPosix(join(place.workspace.root, name)), place))
  const read = await Promise.all(folders.map((folder) => readSkill(folder, place)))
  return {
    skills: read.flatMap((skill) => (skill !== undefined && 'body' in skill ? [skill] : [])),
    warnings: read.flatMap((skill) => (skill !== undefined && 'code' in skill ? [skill] : [])),
  }
}

/** Of links too, which a listing shows as files: whether there is a skill behind one, reading it will tell. */
function foldersIn(
  folder: string,
  { workspace, allowed }: Pick<SkillFolder, 'workspace' | 'allowed'>,
): string[] {
  const reading = workspace.list(folder, allowed)
  if (reading.kind !== 'directory') return []
  return reading.entries.slice(0, mostSkills).map(({ name }) => `${folder}/${name}`)
}

async function readSkill(folder: string, place: SkillFolder): Promise<Skill | Warning | undefined> {
  const { workspace, allowed, origin, isTrusted } = place
  const path = `${folder}/SKILL.md`
  const reading = workspace.read(path, { allowed, maxBytes: longestFile, maxImageBytes: 0 })
  if (reading.kind === 'fault' && reading.code === 'NOT_FOUND') return undefined
  const source = origin === 'home' ? path : relativeTo(workspace.root, path)
  if (reading.kind === 'fault') return skipped(source, `it ${reading.message}`)
  if (reading.kind !== 'file') return skipped(source, 'it is not a text file')
  const text = await readSkillText(reading.text, folder.slice(folder.lastIndexOf('/') + 1))
  if (typeof text === 'string') return skipped(source, text)
  return { ...text, origin, trusted: isTrusted(reading.text), folder, text: reading.text }
}

function skipped(source: string, why: string): Warning {
  return { code: 'skill-skipped', message: `the skill was left out: ${why}`, source: safeLine(source) }
}

function firstOfEachName(skills: readonly Skill[]): Skill[] {
  const byName = new Map<string, Skill>()
  for (const skill of skills) if (!byName.has(skill.name)) byName.set(skill.name, skill)
  return [...byName.values()].sort((one, other) => (one.name < other.name ? -1 : 1))
}
