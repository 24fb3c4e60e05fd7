/**
 * The name under which a program is known here: `/usr/bin/Python3.11` is python. On a Mac's file system `LS` is `ls`.
 * The number is removed only from programs that have versions: `diff3` is not `diff`.
 */
export function programName(command: string, comesInVersions: (name: string) => boolean): string {
  const own = command
    .slice(command.lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(/(?<=.)\.exe$/, '')
  const plain = own.replace(/(?<=[a-z])-?\d+(?:\.\d+)*$/, '')
  return comesInVersions(plain) ? plain : own
}
