import { homedir, userInfo } from 'node:os'
import { isAbsolute } from 'node:path'

/** Where there is no home folder, nothing is found. The name is the one that Debian gives users without one. */
const noHome = '/nonexistent'

/**
 * The user's home folder. An empty or relative `HOME` is not one: what it names would depend on the project, so the
 * system's list of users is asked.
 */
export function userHome(env: NodeJS.ProcessEnv = process.env): string {
  // On Windows `homedir` asks the system by itself.
  const home = process.platform === 'win32' ? homedir() : (env.HOME ?? '')
  return isAbsolute(home) ? home : listedHome()
}

/** The home folder that the system itself gives this user. */
export function listedHome(): string {
  try {
    const { homedir: home } = userInfo()
    return isAbsolute(home) ? home : noHome
  } catch {
    // A container may run under a number that no list names.
    return noHome
  }
}
