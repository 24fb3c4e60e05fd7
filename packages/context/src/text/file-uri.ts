/** The `file:` URI of an absolute POSIX path. Half a character has no escape and becomes a replacement mark. */
export function toFileUri(path: string): string {
  const wellFormed = path.replace(/\p{Surrogate}/gu, '\ufffd')
  return `file://${wellFormed.split('/').map(encodeURIComponent).join('/')}`
}

/**
 * The path that a `file:` URI names; undefined for another machine's file, a broken escape and an escaped slash.
 * By the standard's own parser, because the host reads its list of allowed folders with that one too.
 */
export function fileUriPath(uri: string): string | undefined {
  try {
    const { protocol, hostname, pathname } = new URL(uri)
    if (protocol !== 'file:' || hostname !== '' || /%2f/i.test(pathname)) return undefined
    const path = decodeURIComponent(pathname)
    return path.includes('\0') ? undefined : path
  } catch {
    // No address at all, or a stray percent sign: it says nothing that could be opened.
    return undefined
  }
}
