'use strict'
// The command, which writes down at its end what V8 made of it. Run by code-cache.mjs.
const { renameSync, writeFileSync } = require('node:fs')
const { join } = require('node:path')
const { loadBundle, sealedCache } = require('../packages/cli/bin/load-bundle.cjs')

const scripts = new Map()
process.on('exit', () => {
  for (const [file, script] of scripts) {
    // Under its name only once it is whole.
    writeFileSync(`${file}.cache.new`, sealedCache(file, script))
    renameSync(`${file}.cache.new`, `${file}.cache`)
  }
})
loadBundle(join(__dirname, '../packages/cli/dist/'), 'mutsumi.cjs', (file, script) =>
  scripts.set(file, script),
)
