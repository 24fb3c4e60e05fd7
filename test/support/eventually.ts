/** Waits until something holds. The limit is only there to fail instead of waiting for ever. */
export async function eventually(holds: () => boolean, within = 30_000): Promise<boolean> {
  const end = Date.now() + within
  while (!holds() && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 20))
  return holds()
}
