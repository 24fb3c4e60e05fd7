/** An argument that, if it is a path, stays in the folder: not absolute, not climbing, no address, no list of arguments. */
export function isNearby(arg: string): boolean {
  if (/^[/~@]|^[a-z]:[\\/]/i.test(arg) || address.test(arg)) return false
  return !arg.split(/[/\\]/).includes('..')
}

const address =
  /^(?:data|file|node|https?|wss?|ftp|ssh|git[+\w]*|npm|jsr|ext|fd|blob|workspace|link|portal):|:\/\//i
