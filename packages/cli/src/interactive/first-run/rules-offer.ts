import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { defaultRules } from '@mutsumi/context'
import { rulesFolder } from '@mutsumi/context/parts'
import { initializeRules } from '@mutsumi/tools'
import { openRefusedOffers, userHome } from '@mutsumi/tools/parts'
import type { About } from './about.js'
import type { FirstRunWorld } from './first-run-world.js'

/** Offers once to write rules for a workspace that has none. */
export async function offerRules({ root }: Pick<About, 'root'>, world: FirstRunWorld): Promise<void> {
  // A home folder is not a project.
  if (existsSync(join(root, rulesFolder)) || root === '/' || root === userHome()) return
  const offers = await openRefusedOffers()
  if (offers.isRefused('rules', root) || !world.isIdle()) return
  const said = world.words.firstRun.rules
  const answer = await world.ask.choose({
    title: said.title,
    choices: [
      { label: said.yes(rulesFolder), value: true },
      { label: said.no, value: false },
    ],
    isNumbered: true,
    isUnexpected: true,
  })
  if (answer === true) world.say([made(root, said)])
  if (answer !== false) return
  const saving = offers.refuse('rules', root)
  world.say([saving.kind === 'fault' ? saving.message : said.refused])
}

function made(root: string, said: FirstRunWorld['words']['firstRun']['rules']): string {
  try {
    const { created } = initializeRules(root, defaultRules)
    return said.made(created.length, rulesFolder)
  } catch (error) {
    return said.failed(error instanceof Error ? error.message : String(error))
  }
}
