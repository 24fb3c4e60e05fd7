// Draws the pictures of the terminal in the guide again: `npm run pictures [NAME…]`, after `npm run build`.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PlayedTerminal } from './pictures/played-terminal.mjs'
import { scenes } from './pictures/scenes.mjs'

const target = fileURLToPath(new URL('../docs/guide/pictures/', import.meta.url))
const wanted = process.argv.slice(2)

for (const [name, scene] of Object.entries(scenes)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  // The pictures show this name, so it is the same every time.
  const world = join(tmpdir(), 'mutsumi-pictures')
  try {
    writeFileSync(`${target}${name}.svg`, await played(scene, world))
    console.log(`docs/guide/pictures/${name}.svg`)
  } finally {
    rmSync(world, { recursive: true, force: true })
  }
}

async function played({ title, files, replies, args = [], env = {}, size = {}, play }, world) {
  const folder = join(world, 'shop')
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  writeFileSync(join(world, 'demo.jsonl'), (replies ?? []).map((reply) => JSON.stringify(reply)).join('\n'))
  const model = replies ? ['--model', 'scripted:../demo.jsonl'] : []
  const own = { HOME: world, MUTSUMI_CONFIG_DIR: join(world, 'config') }
  const terminal = new PlayedTerminal({ folder, args: [...model, ...args], env: { ...own, ...env }, ...size })
  try {
    await play(terminal)
    return terminal.picture(title)
  } finally {
    terminal.close()
  }
}
