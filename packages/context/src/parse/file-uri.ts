/** The `file:` URI of an absolute POSIX path. */
export function toFileUri(path: string): string {
  return `file://${path.split('/').map(encodeURIComponent).join('/')}`
}
