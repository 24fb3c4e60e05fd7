import { string } from 'zod'

/**
 * Text for a file. JSON can contain half a surrogate pair, which would break a character in the file. A NUL would make
 * the file binary, and no tool could read it again.
 */
export const fileText = string().refine(
  (text) => !/[\p{Cs}\0]/u.test(text),
  'must be text without NUL and without half characters',
)
