import { homedir, userInfo } from 'node:os'
import { isAbsolute } from 'node:path'

/** Used if there is no home folder, so that nothing is found. It is the name that Debian gives users without one. */
const noHome = '/nonexistent'

/**
 * The user's home folder. An empty or relative `HOME` is ignored, because it would depend on the project; the system's
 * list of users is used instead.
 */
export function userHome(env: NodeJS.ProcessEnv = process.env): string {
  // On Windows `homedir` already asks the system.
  const home = process.platform === 'win32' ? homedir() : (env.HOME ?? '')
  return isAbsolute(home) ? home : listedHome()
}

/** The home folder that the system assigns to this user. */
export function listedHome(): string {
  try {
    const { homedir: home } = userInfo()
    return isAbsolute(home) ? home : noHome
  } catch {
    // A container may run under a user id that is not in the list.
    return noHome
  }
}
