/** Says what takes so long, after a second, on a terminal only; and takes it back when it is over. */
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
