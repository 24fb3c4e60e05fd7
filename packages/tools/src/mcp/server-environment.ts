/**
 * Variables that a program needs to run and that contain no secrets. Everything else must be in the server's own
 * config.
 */
const inherited =
  /^(PATH|HOME|USER|LOGNAME|SHELL|TERM|LANG|LC_\w+|TZ|TMPDIR|XDG_\w+|SYSTEMROOT|SYSTEMDRIVE|TEMP|TMP|APPDATA|LOCALAPPDATA|USERPROFILE|PROGRAMFILES|PATHEXT|COMSPEC)$/i

const secret = /key|token|secret|passw|credential|auth|cookie|session/i

/** The environment of a server. It is an allow list, because nobody can list the names of all keys. */
export function serverEnvironment(
  own: Readonly<Record<string, string>>,
  ours: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const passed = Object.entries(ours).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && inherited.test(entry[0]) && !isSecretName(entry[0]),
  )
  return { ...Object.fromEntries(passed), ...own }
}

/** True if a variable of this name probably contains a secret. */
export function isSecretName(name: string): boolean {
  return secret.test(name)
}
