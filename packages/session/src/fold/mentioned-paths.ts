/** No text has more of them looked at when its reminder is made. */
const mostSites = 5000

/** What stands behind an `@`: in quotes, or up to a blank. It may be followed by punctuation, or by words of a script without blanks. */
const site = /@(?=(?:"([^"\r\n]{1,512})"|([^\s"'`<>|*?\p{Cc}\p{Cs}]{1,512})))/gu

/** Whether a text mentions each of these paths of its workspace: `@src/a.ts`, `@./src/a.ts`, `@/ws/src/a.ts`. */
export function areMentioned(paths: readonly string[], text: string): boolean {
  const missing = new Set(paths)
  let sites = 0
  for (const [, quoted, plain] of text.matchAll(site)) {
    if (missing.size === 0 || ++sites > mostSites) break
    const written = quoted ?? plain ?? ''
    const resolved = resolvedPath(written)
    // The workspace's own folder is not known here.
    for (const path of missing)
      if (resolved.startsWith(path) || (written.startsWith('/') && resolved.includes(`/${path}`)))
        missing.delete(path)
  }
  return missing.size === 0
}

function resolvedPath(written: string): string {
  const kept: string[] = []
  for (const segment of written.split('/'))
    if (segment === '..') kept.pop()
    else if (segment !== '' && segment !== '.') kept.push(segment)
  return kept.join('/')
}
