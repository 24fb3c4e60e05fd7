/** What a program needs to run at all, and what tells nothing. Everything else a server's own config names. */
const inherited =
  /^(PATH|HOME|USER|LOGNAME|SHELL|TERM|LANG|LC_\w+|TZ|TMPDIR|XDG_\w+|SYSTEMROOT|SYSTEMDRIVE|TEMP|TMP|APPDATA|LOCALAPPDATA|USERPROFILE|PROGRAMFILES|PATHEXT|COMSPEC)$/i

const secret = /key|token|secret|passw|credential|auth|cookie|session/i

/** The environment of a server: a list of what may pass, because nobody can list the names of all keys. */
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

/** True where a variable of this name probably holds something that must not be shown. */
export function isSecretName(name: string): boolean {
  return secret.test(name)
}
