import { explanations } from './common-words.js'
import type { ForeignWords } from './foreign-words.js'

export const skillWords: ForeignWords = {
  names: { name: ['skill', 'skillname', 'command'], params: ['parameters', 'inputs'] },
  ignored: [...explanations, 'args'],
}
