import { join } from 'node:path'
import { makeFolder } from './command.js'

/** A reply that calls a tool, and one that ends the round. */
export const action = (name: string, args: object) =>
  `Thought: next\nAction: ${name}[${JSON.stringify(args)}]`
export const finish = (answer: string) => `Thought: done\nAction: Finish[${answer}]`

/** A folder with a script beside it, and the flags that play it. */
export function scripted(replies: readonly unknown[], files: Readonly<Record<string, string>> = {}) {
  const folder = makeFolder({
    ...files,
    'script.jsonl': replies.map((reply) => JSON.stringify(reply)).join('\n'),
  })
  return { folder, flags: ['--model', `scripted:${join(folder, 'script.jsonl')}`] }
}
