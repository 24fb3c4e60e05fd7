/** After a second, shows what is being awaited, only on a terminal, and removes it at the end. */
export async function withProgress<Result>(message: string, work: Promise<Result>): Promise<Result> {
  if (!process.stderr.isTTY) return work
  let shown = false
  const timer = setTimeout(() => {
    shown = true
    process.stderr.write(`${message}…`)
  }, 1000)
  try {
    return await work
  } finally {
    clearTimeout(timer)
    if (shown) process.stderr.write('\r\u001b[2K')
  }
}
