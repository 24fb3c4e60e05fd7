import { detectSandbox, type Sandbox, type SandboxMode } from '@mutsumi/tools'

/**
 * The sandbox for commands here. Detecting it starts a process. It is a separate file, because most runs need not
 * know.
 */
export async function sandboxKind(mode: SandboxMode): Promise<Sandbox['kind']> {
  return (await detectSandbox({ mode })).kind
}
