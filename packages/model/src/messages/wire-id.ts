/**
 * The id of a call in the form that every provider accepts: letters, digits, `_` and `-`, at most 64 of them. It is
 * changed only if necessary, and the same id always gives the same result.
 *
 *     call_7    →  call_7
 *     call:7    →  call_7_5d0c1f9ab2e4
 */
export function wireId(id: string): string {
  if (/^[a-zA-Z0-9_-]{1,64}$/.test(id)) return id
  const plain = id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 48)
  return `${plain || 'call'}_${print(id, 0x811c9dc5)}${print(id, 0x2f0b4c47)}`
}

/** FNV-1a over the code units. It only needs to be distinct, not secret. */
function print(text: string, seed: number): string {
  let hash = seed
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return (hash >>> 0).toString(36)
}
