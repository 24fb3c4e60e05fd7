#!/usr/bin/env node
'use strict'
// This file is committed, because npm links it before anything is built. It prints the version itself, because
// loading the program would double the time.
const [first, ...rest] = process.argv.slice(2)
if (rest.length === 0 && (first === '--version' || first === '-V')) {
  process.stdout.write(`${require('../package.json').version}\n`)
} else {
  run()
}

function run() {
  const { existsSync } = require('node:fs')
  const dist = `${__dirname}/../dist/`
  if (existsSync(`${dist}mutsumi.cjs`))
    return void require('./load-bundle.cjs').loadBundle(dist, 'mutsumi.cjs')
  process.stderr.write('mutsumi is not built yet. Run `npm run build` in its folder.\n')
  process.exitCode = 1
}
