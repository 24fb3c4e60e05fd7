// Chromium without a window.
import { chromium } from 'playwright-core'

const flags = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
]

export function launchBrowser(executablePath) {
  return chromium.launch({ executablePath, args: flags, timeout: 120_000 })
}

/**
 * Waits until Chromium updates a service worker at once. It puts that off for the first seconds of its own life, and the
 * frame of a notebook in code-server waits for such an update. So the first output in a browser that has just been launched
 * would appear some two seconds late, with any extension. A person's browser has been running for a while.
 */
export async function browserStarted(browser, address) {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${address}/healthz`)
  await page.evaluate(async () => {
    const script = '/_static/out/browser/serviceWorker.js'
    const registration = await navigator.serviceWorker.register(script, { scope: '/' })
    await registration.update()
  })
  await context.close()
}
