import { type Place, readProject, shellPath, trustedPlace } from '@mutsumi/host'
import { safeLine } from '@mutsumi/schema'
import { openTrustStore, type Trust } from '@mutsumi/tools/parts'
import { printNote } from '../terminal/output.js'
import { say, sayFault } from '../words/say.js'

/** Whether the user's decision about a folder is still valid. If not, a note says why and what to do. */
export async function checkTrust(root: string): Promise<Omit<Place, 'root'>> {
  const project = readProject(root)
  const trust = (await openTrustStore()).check(root, project.allowances)
  for (const line of noteOf(trust, root)) printNote(`mutsumi: ${line}`)
  return trust.kind === 'trusted' ? trustedPlace(project) : { trusted: false }
}

function noteOf(trust: Trust, root: string): readonly string[] {
  const remedy = `mutsumi trust -C ${shellPath(root)}`
  switch (trust.kind) {
    case 'trusted':
    case 'untrusted':
      return []
    case 'changed':
      return [
        say`${safeLine(root)} counts as untrusted, because it changed since you trusted it:`,
        ...trust.changes.map((change) => `  ${change}`),
        say`${remedy} shows what it allows now and trusts it again`,
      ]
    case 'unbound':
      return [
        say`${safeLine(root)} was trusted by an older version that did not record what it allows, so it counts as untrusted; ${remedy} shows what it allows and trusts it again`,
      ]
    case 'fault':
      return [sayFault(trust)]
    default:
      return trust satisfies never
  }
}
