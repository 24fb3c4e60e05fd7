import { hash } from 'node:crypto'

/** SHA-256 of a text's UTF-8 bytes, hexadecimal. */
export function hashText(text: string): string {
  return hash('sha256', text, 'hex')
}
