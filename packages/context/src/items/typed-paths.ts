import { scanReferences } from '../text/brackets.js'
import { fenceWalker } from '../text/fences.js'
import { scanImages } from '../text/images.js'
import { MentionScanner } from '../text/mention-scanner.js'
import { canonicalKey, resolvePath } from '../text/path.js'
import { parseReference } from '../text/reference.js'

/** The folder in which a prompt was typed. Paths are relative to the workspace's root, with POSIX separators. */
export interface TypedIn {
  /** The folder below the root; empty for the root itself. */
  readonly folder: string
  /** The kind of a path, if it exists. Paths that lead out of the workspace are never asked for. */
  kindOf(path: string): 'file' | 'folder' | undefined
}

/**
 * A prompt that was typed in a folder below the root, with the paths it names written from the root. A path counts from
 * that folder if something is there, else from the root. The paths are rewritten once, before the prompt is recorded,
 * so that the conversation means the same from every folder.
 *
 *     in packages/web:   Compare @[src/a.ts:3] with @[README.md]
 *                        Compare @[packages/web/src/a.ts:3] with @[README.md]
 */
export function withPathsFromRoot(prompt: string, typedIn: TypedIn): string {
  if (typedIn.folder === '') return prompt
  const changes = [
    ...changedReferences(prompt, typedIn),
    ...changedImages(prompt, typedIn),
    ...changedMentions(prompt, typedIn),
  ].sort((one, other) => one.start - other.start)
  let written = ''
  let done = 0
  for (const { start, end, text } of changes) {
    // A picture whose target is a reference is rewritten only once.
    if (start < done) continue
    written += prompt.slice(done, start) + text
    done = end
  }
  return written + prompt.slice(done)
}

interface Change {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Nobody types more mentions than this. */
const mostMentions = 200

function changedReferences(prompt: string, typedIn: TypedIn): Change[] {
  const inFence = fenceWalker(prompt)
  return scanReferences(prompt).flatMap(({ content, start, end }) => {
    if (inFence(start)) return []
    const reference = parseReference(content)
    if (reference.kind !== 'path' || !reference.raw.startsWith(reference.path)) return []
    const path = pathFromRoot(reference.path, typedIn)
    if (path === undefined) return []
    const text = `@[${path}${reference.raw.slice(reference.path.length)}]`
    return isReferenceTo(path, text) ? [{ start, end, text }] : []
  })
}

/** A folder's name may contain characters with a special meaning inside brackets. */
function isReferenceTo(path: string, text: string): boolean {
  const [bracket] = scanReferences(text)
  if (bracket?.end !== text.length) return false
  const reference = parseReference(bracket.content)
  return reference.kind === 'path' && reference.path === path
}

function changedImages(prompt: string, typedIn: TypedIn): Change[] {
  return scanImages(prompt).flatMap(({ start, end, alt, uri }) => {
    const path = /^[a-z][a-z\d+.-]*:/i.test(uri) ? undefined : pathFromRoot(uri, typedIn)
    const at = prompt.indexOf(uri, start + alt.length + 4)
    if (path === undefined || /[\s()<>]/.test(path) || at === -1 || at + uri.length > end) return []
    return [{ start: at, end: at + uri.length, text: path }]
  })
}

function changedMentions(prompt: string, typedIn: TypedIn): Change[] {
  const changes: Change[] = []
  const scanner = new MentionScanner(prompt)
  let site = scanner.next(0)
  for (let seen = 0; site && seen < mostMentions; seen++) {
    const hit = site.candidates
      .map(({ path, end }) => ({ end, path: pathFromRoot(path, typedIn) }))
      .find(({ path }) => path !== undefined && typedIn.kindOf(path) === 'file')
    if (hit?.path !== undefined) {
      const isPlain = /^[^\s"'`<>|*?,]+$/u.test(hit.path)
      const text = isPlain ? `@${hit.path}` : `@"${hit.path}"`
      changes.push({ start: site.at, end: hit.end, text })
    }
    site = scanner.next(hit?.end ?? site.at + 1)
  }
  return changes
}

/** Undefined if the path is absolute, contains macros, leaves the workspace, or does not exist. */
function pathFromRoot(path: string, { folder, kindOf }: TypedIn): string | undefined {
  if (path.startsWith('/') || path.startsWith('~') || path.includes('{{')) return undefined
  const segments = [...folder.split('/'), ...path.split('/')]
  let depth = 0
  for (const segment of segments) {
    depth += segment === '..' ? -1 : segment === '' || segment === '.' ? 0 : 1
    if (depth < 0) return undefined
  }
  const whole = canonicalKey(resolvePath(segments.join('/'), '/', '/'), '/')
  return kindOf(fixedPart(whole)) === undefined && kindOf(whole) === undefined ? undefined : whole
}

/** The folders before a pattern's first wildcard. Its matches are searched later. */
function fixedPart(path: string): string {
  const segments = path.split('/')
  const wild = segments.findIndex((segment) => /[*?]|\{[^{},]*,[^{}]*\}/.test(segment))
  return wild === -1 ? path : segments.slice(0, wild).join('/') || '.'
}
