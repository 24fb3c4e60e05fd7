import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { ContextEngine, defaultSettings } from '@mutsumi/context'
import { hashText, Workspace } from '@mutsumi/tools'
import { compare, growth } from './measure.mjs'
import { milliseconds, row } from './report.mjs'
import { withFiles } from './workspace.mjs'

/** A hundred files into one ghost block, against the least that any program would have to do for it. */
export function benchGhostBlock() {
  return withFiles(1000, 20 * 1024, async (root, names) => {
    const hundred = names.slice(0, 100)
    const paths = hundred.map((name) => `${root}/${name}`)
    const warm = newEngine(root)
    await build(warm, hundred)
    const first = await compare(
      {
        engine: () => build(newEngine(root), hundred),
        bare: () => forEach(paths, readHashEncode),
      },
      { repeat: { engine: 5, bare: 5 } },
    )
    const again = await compare(
      { engine: () => build(warm, hundred), bare: () => forEach(paths, statSync) },
      { runs: 21, repeat: { engine: 20, bare: 20 } },
    )
    const files = await growth(
      () => build(newEngine(root), names.slice(0, 30)),
      () => build(newEngine(root), names.slice(0, 300)),
    )
    return [
      row(
        '100 files of 20 KB, against readFileSync + sha1 + stringify',
        first.engine / first.bare,
        { atMost: 2 },
        milliseconds(first.engine, first.bare),
      ),
      row(
        'the same unchanged, against statSync',
        again.engine / again.bare,
        { atMost: 5 },
        milliseconds(again.engine, again.bare),
      ),
      row(
        'ghost block, ten times the files',
        files.ratio,
        { atMost: 12 },
        milliseconds(files.one, files.ten),
      ),
    ]
  })
}

/** A window that fits everything. Otherwise the budget would leave most of it out, which is not measured here. */
const settings = { ...defaultSettings, contextWindow: 100_000_000 }

function newEngine(root) {
  return new ContextEngine({ reader: new Workspace({ root }), hash: hashText }, { settings })
}

async function build(engine, names) {
  const prompt = names.map((name) => `@[${name}]`).join(' ')
  const context = await engine.assemble({ metadata: {}, cells: [] }, 0, prompt)
  return context.messages.at(-1).content.length
}

function readHashEncode(path) {
  const text = readFileSync(path, 'utf8')
  createHash('sha1').update(text).digest('hex')
  JSON.stringify(text)
}

function forEach(paths, work) {
  for (const path of paths) work(path)
}
