import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ContextAssembler, MacroContext } from '@mutsumi/context'
import { hashText, Workspace } from '@mutsumi/tools'
import { growth } from './measure.mjs'
import { milliseconds, row } from './report.mjs'
import { writeOld } from './workspace.mjs'

/** Documents that include documents: ten times as many must cost about ten times as much. */
export async function benchAssembly() {
  const root = mkdtempSync(join(tmpdir(), 'mutsumi-bench-'))
  try {
    const paragraph = 'Text with {{NAME}} in it.\n@{ifdef NAME}\nand a condition\n@{endif}\n'.repeat(10)
    for (let part = 0; part < 900; part++) writeOld(join(root, `part-${part}.md`), paragraph)
    const includes = (count) => Array.from({ length: count }, (_, part) => `@[part-${part}.md]\n`).join('')
    const small = includes(90)
    const large = includes(900)
    const assemble = (text) => {
      const assembler = new ContextAssembler({ reader: new Workspace({ root }), hash: hashText })
      return assembler.assembleDocument(text, { macros: new MacroContext([['NAME', 'value']]) })
    }
    const includesGrowth = await growth(
      () => assemble(small),
      () => assemble(large),
    )
    return [
      row(
        'assembly with includes, ten times the includes',
        includesGrowth.ratio,
        { atMost: 12 },
        milliseconds(includesGrowth.one, includesGrowth.ten),
      ),
    ]
  } finally {
    rmSync(root, { recursive: true })
  }
}
