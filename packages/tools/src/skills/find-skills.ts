import { statSync } from 'node:fs'
import { join } from 'node:path'
import { safeLine, type Warning } from '@mutsumi/schema'
import { hashText } from '../ground/hash-text.js'
import type { SkillFile } from '../trust/project-allowances.js'
import { userHome } from '../user/user-home.js'
import { relativeTo, toPosix } from '../workspace/paths.js'
import { Workspace } from '../workspace/workspace.js'
import { readSkillText } from './front-matter.js'

/** Instructions that the agent can load when it needs them. */
export interface Skill {
  readonly name: string
  /** When to use it, in one line. */
  readonly description: string
  readonly origin: 'workspace' | 'home'
  /** False for a workspace that the user does not trust: the text of its skill is data. */
  readonly trusted: boolean
  /** Absolute, POSIX separators. */
  readonly folder: string
  /** Names of its parameters. */
  readonly params: readonly string[]
  /** `SKILL.md` as it is on disk. */
  readonly text: string
  /** The text below its front matter. */
  readonly body: string
}

export interface FindSkillsOptions {
  readonly workspace: Workspace
  /** The part of the workspace that the session may read. Absent: all of it. */
  readonly allowed?: readonly string[]
  /** The user trusts the workspace. */
  readonly trusted?: boolean
  /** Hashes of the skills that existed when the user trusted the workspace. Others are not trusted. Absent: all are. */
  readonly approved?: ReadonlySet<string>
  /** The user's home folder, if it is not the process's. */
  readonly home?: string
}

export interface FoundSkills {
  /** Sorted by name. */
  readonly skills: readonly Skill[]
  readonly warnings: readonly Warning[]
}

/** If two skills have the same name, the one in the first folder is used. */
const skillFolders = ['.mutsumi/skills', '.agents/skills']
/** The folder of another agent, used only in a trusted workspace. */
const furtherFolders = ['.claude/skills']
export const longestFile = 256 * 1024
/** The most skills that are read in one folder, because each one delays the first prompt. */
const mostSkills = 200

/** A folder to search for skills, and how it may be read. */
export interface SkillFolder {
  readonly workspace: Workspace
  readonly allowed: readonly string[]
  readonly folders: readonly string[]
  readonly origin: Skill['origin']
  isTrusted(text: string): boolean
}

/**
 * Finds the skills of the workspace and of the home folder. If both have a skill with the same name, the workspace's
 * is used, unless the workspace is not trusted.
 */
export async function findSkills(options: FindSkillsOptions): Promise<FoundSkills> {
  const found = await Promise.all(skillPlaces(options).map(skillsIn))
  return {
    skills: firstOfEachName(found.flatMap(({ skills }) => skills)),
    warnings: found.flatMap(({ warnings }) => warnings),
  }
}

/** The folders of the user's own instructions, in order of precedence. */
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

/** Links may lead anywhere inside the user's home, as dotfiles do, but not out of it. */
function homePlace(home: string): readonly SkillFolder[] {
  if (!statSync(home, { throwIfNoEntry: false })?.isDirectory()) return []
  const workspace = new Workspace({ root: home })
  const allowed = [workspace.root]
  return [{ workspace, allowed, folders: skillFolders, origin: 'home', isTrusted: () => true }]
}

/** The files of the workspace's skills, valid or not, for the user to trust. */
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

/** Includes links, which a listing shows as files. Reading shows whether one leads to a skill. */
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
