import { keepValues, supplement, type ToolRule } from './tool-rule.js'

const found = ['origin', 'trusted', 'folder', 'again']

/** A skill's text is a file. After its round, the name is enough to load it again in its current form. */
export const skillRule: ToolRule = {
  identity: ['name', ...found],
  keep(result) {
    const hint = result.failed ? {} : { again: 'Skill loads its text again' }
    return keepValues(supplement(result, hint), { called: ['name'], found })
  },
}
