import { keepValues, supplement, type ToolRule } from './tool-rule.js'

const found = ['origin', 'trusted', 'folder', 'again']

/** A skill's text is a file: once its round is over, its name is enough to have it again, as it is by then. */
export const skillRule: ToolRule = {
  identity: ['name', ...found],
  keep(result) {
    const hint = result.failed ? {} : { again: 'Skill loads its text again' }
    return keepValues(supplement(result, hint), { called: ['name'], found })
  },
}
