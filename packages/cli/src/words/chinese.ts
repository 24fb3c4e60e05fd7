import { localEnd, localFault, localLine, localRefusal, localWarning } from '@mutsumi/host'
import { chineseHelp } from './chinese-help.js'
import { chineseSentences } from './chinese-sentences.js'
import type { Sentences, Speech } from './say.js'

export const chinese: Sentences = new Map([...chineseSentences, ...chineseHelp])

/** The command's sentences, and those that the engine gives as data. */
export const spokenChinese: Speech = {
  sentences: chinese,
  warning: (warning) => localWarning(warning, 'zh'),
  line: (result) => localLine(result, 'zh'),
  fault: (fault) => localFault(fault, 'zh'),
  end: (end) => localEnd(end, 'zh'),
  refusal: (text) => localRefusal(text, 'zh'),
}
