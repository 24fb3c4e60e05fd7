import { cutMiddle } from '../text/cut-text.js'
import { keepShortValues } from './default.js'
import { contentOf, type ToolRule } from './tool-rule.js'

/** A sub-agent's report is its whole purpose, so more of it is kept than of other tools' results. */
export const taskRule: ToolRule = {
  keep(result) {
    const report = contentOf('report', result)
    const values = keepShortValues(result.data, result.kept.other)
    return report === undefined ? values : { ...values, report: cutMiddle(report, 4000) }
  },
}
