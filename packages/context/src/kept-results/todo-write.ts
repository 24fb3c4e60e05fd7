import { cutMiddle } from '../text/cut-text.js'
import { contentOf, keepValues, type ToolRule } from './tool-rule.js'

/** The recap contains everything that is still true about the list. */
export const todoWriteRule: ToolRule = {
  identity: ['recap'],
  keep(result) {
    const recap = contentOf('recap', result)
    const values = keepValues(result, {})
    return recap === undefined ? values : { recap: cutMiddle(recap, 4000), ...values }
  },
}
