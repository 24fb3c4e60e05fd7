import { detectSandbox, type Sandbox, type SandboxMode } from '@mutsumi/tools'

/** What confines commands here. Trying it starts a process; a file of its own, because most runs need not know. */
export async function sandboxKind(mode: SandboxMode): Promise<Sandbox['kind']> {
  return (await detectSandbox({ mode })).kind
}
