import { MacroContext, Preprocessor } from '@mutsumi/context'
import { eachReference } from '@mutsumi/context/parts'
import peer from 'preprocess'
import { compare, growth } from './measure.mjs'
import { milliseconds, row } from './report.mjs'

const macros = [
  ['DEBUG', 'true'],
  ['VERSION', '1.0.0'],
]

/** Our preprocessor against the npm package of the same job, and against itself at ten times the size. */
export async function benchPreprocess() {
  const ours = document(
    500,
    (condition, text) =>
      `@{${condition === 'defined' ? 'ifdef DEBUG' : 'if VERSION IS "1.0.0"'}}\n${text}@{endif}\n`,
  )
  const theirs = document(
    500,
    (condition, text) =>
      `<!-- @${condition === 'defined' ? 'ifdef DEBUG' : "if VERSION=='1.0.0'"} -->\n${text}<!-- @endif -->\n`,
  )
  const speed = await compare(
    {
      ours: () => run(ours),
      theirs: () => peer.preprocess(theirs, Object.fromEntries(macros), { type: 'html' }),
    },
    { runs: 9 },
  )
  const tenfold = ours.repeat(10)
  const size = await growth(
    () => run(ours),
    () => run(tenfold),
  )
  const references =
    'see @[src/a.ts:1:20] and @[app/[id]/page.tsx] and @[Grep{"pattern":"a]b{"}] and more\n'.repeat(2000)
  const tenReferences = references.repeat(10)
  const scan = await growth(
    () => countReferences(references),
    () => countReferences(tenReferences),
  )
  return [
    row(
      'preprocess 1 MB, 1 000 directives: faster than preprocess@3.2.0',
      speed.theirs / speed.ours,
      { atLeast: 20 },
      milliseconds(speed.ours, speed.theirs),
    ),
    row('preprocess, ten times the input', size.ratio, { atMost: 12 }, milliseconds(size.one, size.ten)),
    row('reference scan, ten times the input', scan.ratio, { atMost: 12 }, milliseconds(scan.one, scan.ten)),
  ]
}

function countReferences(text) {
  let count = 0
  for (const _reference of eachReference(text)) count++
  return count
}

function run(text) {
  return new Preprocessor(new MacroContext(macros)).process(text)
}

function document(blocks, wrap) {
  const paragraph = `${'Lorem ipsum dolor sit amet, consectetur adipiscing elit. '.repeat(18)}\n`
  const parts = []
  for (let block = 0; block < blocks; block++)
    parts.push(paragraph, wrap(block % 2 === 0 ? 'defined' : 'compared', paragraph))
  return parts.join('')
}
