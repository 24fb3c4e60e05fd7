// The engine as the tests see it: its public exports, and the one helper they share with it.
export * from '../../src/index.js'
export * from '../../src/parts.js'
export { TextLines } from '../../src/text/lines.js'
