import { canonicalJson, isJsonObject, type Json, type JsonObject, safeLine } from '@mutsumi/schema'
import { hashText } from '../ground/hash-text.js'
import { readProjectFile, type TextFileReading } from '../workspace/project-file.js'
import { serverAllowance } from './server-allowance.js'

// The effects of trusting a folder, in pieces. Each piece has a hash, and trust depends on the hashes.
//
// | in                                              | a piece is                                   |
// |-------------------------------------------------|----------------------------------------------|
// | `.mutsumi/config.json`                          | each setting; each server with its config,   |
// |                                                 | and the project's files that it names        |
// | `.mcp.json`                                     | each server                                  |
// | `.mutsumi/skills`, `.agents/…`, `.claude/skills` | each `SKILL.md`                              |
//
// Rules, AGENTS.md and documents are not included: in a trusted folder they may call read-only tools, and a changed
// text can do no more than that.

/** The project's files with settings and servers, as they were read. */
export interface ProjectFiles {
  /** `.mutsumi/config.json`. */
  readonly config: TextFileReading
  /** `.mcp.json`, as other agents write it. */
  readonly servers: TextFileReading
}

/** One piece of the effects of a trusted folder. */
export interface Allowance {
  /** `setting model`, `server db`, `skill release`. */
  readonly name: string
  /** For people, on one line: `openai/x`, `npx -y db-server`. */
  readonly shown: string
  readonly hash: string
}

export const configName = '.mutsumi/config.json'
export const serversName = '.mcp.json'

export function readProjectFiles(root: string): ProjectFiles {
  return { config: readProjectFile(root, configName), servers: readProjectFile(root, serversName) }
}

/** The effects of the project's files and skills, sorted by name. */
export function allowancesOf(
  root: string,
  files: ProjectFiles,
  skills: readonly SkillFile[],
): readonly Allowance[] {
  const config = contentOf(configName, files.config)
  const servers = contentOf(serversName, files.servers)
  const all = [
    ...(Array.isArray(config) ? config : configAllowances(config, root)),
    ...(Array.isArray(servers) ? servers : serverAllowances(servers, root, `${serversName}: `)),
    ...skills.map(({ name, text }) => allowance(`skill ${name}`, `${text.length} characters`, text)),
  ]
  return all.sort((one, other) => (one.name < other.name ? -1 : 1))
}

export interface SkillFile {
  /** Its path from the project's folder. */
  readonly name: string
  readonly text: string
}

/** The object in a file; or, if it contains none, one piece that changes whenever the file does. */
function contentOf(name: string, file: TextFileReading): JsonObject | Allowance[] {
  if (file.kind === 'missing') return {}
  if (file.kind === 'fault') return [allowance(`file ${name}`, `it ${file.message}`, file.message)]
  try {
    const value: unknown = JSON.parse(file.text)
    if (isJsonObject(value)) return value
  } catch {
    // Reported below: it is not a config.
  }
  return [allowance(`file ${name}`, 'it is not a JSON object', file.text)]
}

function configAllowances(config: JsonObject, root: string): Allowance[] {
  const { mcpServers: _, ...settings } = config
  return [
    ...Object.entries(settings).map(([name, value]) =>
      allowance(`setting ${name}`, canonicalJson(value), canonicalJson(value)),
    ),
    ...serverAllowances(config, root),
  ]
}

function serverAllowances({ mcpServers }: JsonObject, root: string, from = ''): Allowance[] {
  if (mcpServers === undefined) return []
  if (!isJsonObject(mcpServers)) return [allowance(`${from}mcpServers`, 'invalid', canonicalJson(mcpServers))]
  return Object.entries(mcpServers).map(([name, server]) =>
    serverPiece(`server ${from}${name}`, server, root),
  )
}

/** Commands that run are shown in full. */
function serverPiece(name: string, server: Json, root: string): Allowance {
  const { shown, content } = serverAllowance(server, root)
  return { name: safeLine(name), shown: safeLine(shown), hash: hashText(content) }
}

function allowance(name: string, shown: string, content: string): Allowance {
  const line = safeLine(shown)
  return {
    name: safeLine(name),
    shown: line.length > 300 ? `${line.slice(0, 300)}…` : line,
    hash: hashText(content),
  }
}
