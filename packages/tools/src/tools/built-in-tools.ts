import { lsDescription, readDescription } from './descriptions.js'
import type { LazyTool } from './tool-runner.js'

/** Every tool that comes with Mutsumi. Their code, and zod with it, is loaded when one is first called. */
export const builtInTools: readonly LazyTool[] = [
  { ...lsDescription, load: async () => (await import('./ls.js')).ls },
  { ...readDescription, load: async () => (await import('./read.js')).read },
]
