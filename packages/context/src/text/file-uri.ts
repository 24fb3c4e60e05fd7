/**
 * The `file:` URI of an absolute path with slashes. A drive gets a slash before it: `file:///C%3A/x`. Half a surrogate
 * pair has no escape and becomes a replacement mark.
 */
export function toFileUri(path: string): string {
  const wellFormed = path.replace(/\p{Surrogate}/gu, '\ufffd')
  const start = wellFormed.startsWith('/') ? '' : '/'
  return `file://${start}${wellFormed.split('/').map(encodeURIComponent).join('/')}`
}

/**
 * The path that a `file:` URI names; undefined for another machine's file, a broken escape and an escaped slash. It
 * uses the standard URL parser, because the host reads its list of allowed folders with that parser too.
 */
export function fileUriPath(uri: string): string | undefined {
  try {
    const { protocol, hostname, pathname } = new URL(uri)
    if (protocol !== 'file:' || hostname !== '' || /%2f/i.test(pathname)) return undefined
    const path = decodeURIComponent(pathname)
    return path.includes('\0') ? undefined : path
  } catch {
    // Not a valid URL, or a stray percent sign: nothing can be opened.
    return undefined
  }
}
