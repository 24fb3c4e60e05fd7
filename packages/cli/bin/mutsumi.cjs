#!/usr/bin/env node
'use strict'
// Committed, not built: npm links it before anything is built. The version is answered here because
// loading the program would double the time that takes.
const [first, ...rest] = process.argv.slice(2)
if (rest.length === 0 && (first === '--version' || first === '-V')) {
  process.stdout.write(`${require('../package.json').version}\n`)
} else {
  load()
}

function load() {
  try {
    require.resolve('../dist/mutsumi.cjs')
  } catch {
    process.stderr.write('mutsumi is not built yet. Run `npm run build` in its folder.\n')
    process.exitCode = 1
    return
  }
  require('../dist/mutsumi.cjs')
}
