import { PhraseReader } from '@mutsumi/schema'
import { englishReasons, type Reason } from './reason.js'

const reader = new PhraseReader(englishReasons)

/**
 * Reads a reason back from its English words, because a session records results as a model reads them. Undefined if
 * they are other words. Use it for what a person looks at, not for what somebody decides.
 */
export function readReason(text: string): Reason | undefined {
  return reader.read(text) as Reason | undefined
}
