import { string } from 'zod'

/**
 * Text for a file. JSON can spell half a surrogate pair: found in a file, it would tear a character
 * apart. A NUL would make the file a binary one, which no tool reads again.
 */
export const fileText = string().refine(
  (text) => !/[\p{Cs}\0]/u.test(text),
  'must be text without NUL and without half characters',
)
