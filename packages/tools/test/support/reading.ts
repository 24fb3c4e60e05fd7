import type { Reading, ReadOptions } from '@mutsumi/schema'
import { expect } from 'vitest'
import { Workspace, type WorkspaceOptions } from '../../src/index.js'

export const limits = { maxBytes: 256 * 1024, maxImageBytes: 5 * 1024 * 1024 }

/** Reads with a workspace of its own, so that nothing is cached. The root is allowed where nothing else is said. */
export function readOnce(
  path: string,
  { root, allowed = [root], ...rest }: WorkspaceOptions & Partial<ReadOptions>,
): Reading {
  const { roots = [], ...options } = rest
  return new Workspace({ root, roots }).read(path, { allowed, ...limits, ...options })
}

export function textOf(reading: Reading): string {
  return reading.kind === 'file' ? reading.text : expect.fail(`not a file: ${JSON.stringify(reading)}`)
}

/** `CODE: message`, to compare refusals at a glance. */
export function faultOf(reading: {
  readonly kind: string
  readonly code?: string
  readonly message?: string
}): string {
  return reading.kind === 'fault'
    ? `${reading.code}: ${reading.message}`
    : expect.fail(`not refused: ${reading.kind}`)
}

export const outsideFault = 'ACCESS_DENIED: is outside the folders this session may read'
