// What the tests see of the engine: its public face, and the one helper they share with it.
export * from '../../src/index.js'
export * from '../../src/parts.js'
export { TextLines } from '../../src/text/lines.js'
