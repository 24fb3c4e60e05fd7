import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** Ends a helper process and waits for it: a folder can be removed only after nobody writes in it any more. */
export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit')
}
