import { join } from 'node:path'
import { type RolldownOptions, type RolldownOutput, rolldown } from 'rolldown'

export interface Program {
  /** TypeScript, as if it stood in a file in `folder`. */
  readonly text: string
  readonly folder: string
}

/** Makes one file of a program and everything that it imports: for tests that need a process of their own. */
export async function bundleProgram(
  program: Program,
  outfile: string,
  external: readonly string[] = [],
): Promise<string> {
  const bundle = await rolldown({ ...inputOf(program), external: [...external] })
  const format = outfile.endsWith('.mjs') ? 'esm' : 'cjs'
  await bundle.write({ file: outfile, format, codeSplitting: false })
  await bundle.close()
  return outfile
}

/** The same program with packages left outside, and what it imports on demand in files of its own. */
export async function linkProgram(
  program: Program,
  { dir, alias }: { dir?: string; alias: Record<string, string> },
): Promise<RolldownOutput['output']> {
  const outside = (name: string) => /^[^./\\]/.test(name) && !(name in alias)
  const bundle = await rolldown({ ...inputOf(program), resolve: { alias }, external: outside })
  const options = {
    format: 'esm',
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
  } as const
  const { output } =
    dir === undefined ? await bundle.generate(options) : await bundle.write({ ...options, dir })
  await bundle.close()
  return output
}

function inputOf({ text, folder }: Program): RolldownOptions {
  const path = join(folder, 'program.ts')
  return {
    input: { program: path },
    platform: 'node',
    moduleTypes: { '.md': 'text' },
    plugins: [
      {
        name: 'program',
        resolveId: (id) => (id === path ? id : undefined),
        load: (id) => (id === path ? text : undefined),
      },
    ],
  }
}
