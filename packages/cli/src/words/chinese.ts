import { chineseHelp } from './chinese-help.js'
import { chineseSentences } from './chinese-sentences.js'
import type { Sentences } from './say.js'

export const chinese: Sentences = new Map([...chineseSentences, ...chineseHelp])
