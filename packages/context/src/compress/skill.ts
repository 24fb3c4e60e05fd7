import { contentOf, keepValues, supplement, type ToolRule } from './tool-rule.js'

const found = ['origin', 'trusted', 'folder', 'again']

/** A skill's text is a file: once its round is over, its name is enough to have it again, as it is by then. */
export const skillRule: ToolRule = {
  identity: ['name', ...found],
  keep(result) {
    const content = contentOf('content', result)
    const isShown = content !== undefined && content.length <= result.limit(0)
    const hint = result.failed || isShown ? {} : { again: 'Skill loads its text again' }
    const values = keepValues(supplement(result, hint), { called: ['name'], found })
    return isShown ? { ...values, content } : values
  },
}
