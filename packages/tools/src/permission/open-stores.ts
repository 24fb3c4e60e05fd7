import type { TrustStore } from '../trust/trust-store.js'
import type { PermissionStore } from './permission-store.js'

// The stores check their files with zod, which is loaded only when one is opened.

/** The folders that the user trusts. */
export async function openTrustStore(
  ...options: ConstructorParameters<typeof TrustStore>
): Promise<TrustStore> {
  const stores = await import('../trust/trust-store.js')
  return new stores.TrustStore(...options)
}

/** The user's permanent permissions and denials. */
export async function openPermissionStore(
  ...options: ConstructorParameters<typeof PermissionStore>
): Promise<PermissionStore> {
  const stores = await import('./permission-store.js')
  return new stores.PermissionStore(...options)
}
