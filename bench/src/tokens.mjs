import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ContextEngine, defaultSettings } from '@mutsumi/context'
import { hashText, Workspace } from '@mutsumi/tools'
import { row } from './report.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The same ghost block in both formats, counted by a real tokenizer, on this repository's own files. */
export async function benchTokens() {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base')
  const code = filesBelow('packages/context/src', '.ts')
  const prose = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', ...filesBelow('docs', '.md')]
  const rows = []
  for (const [name, files] of Object.entries({ code, prose })) {
    const count = async (format) =>
      countTokens(await ghostBlock(files, format), { disallowedSpecial: new Set() })
    const [json, raw] = [await count('json'), await count('raw')]
    const detail = `${json} tokens as JSON, ${raw} raw, ${files.length} files`
    rows.push(
      row(
        `ghost block of our ${name}: JSON costs more than raw by`,
        100 * (json / raw - 1),
        { unit: ' %' },
        detail,
      ),
    )
  }
  return rows
}

async function ghostBlock(files, format) {
  const settings = {
    ...defaultSettings,
    ghost: { ...defaultSettings.ghost, format, budget: 1 },
    contextWindow: 10_000_000,
  }
  const engine = new ContextEngine({ reader: new Workspace({ root }), hash: hashText }, { settings })
  const prompt = files.map((file) => `@[${file}]`).join(' ')
  const context = await engine.assemble({ metadata: {}, cells: [] }, 0, prompt)
  return context.layers.ghost.join('')
}

function filesBelow(folder, extension) {
  return readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(extension))
    .map((name) => `${folder}/${name}`)
    .sort()
}
