// npm run package -w packages/vscode: makes dist/mutsumi-VERSION.vsix. Needs no network.
import { cpSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createVSIX } from '@vscode/vsce'
import { bundleExtension } from './bundle.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const largest = 3_000_000

/** Makes the package and returns its path. */
export async function packageExtension() {
  const stage = `${root}dist/package/`
  await bundleExtension(`${root}dist/bundle`)
  rmSync(stage, { recursive: true, force: true })
  mkdirSync(stage, { recursive: true })
  const { version, ...manifest } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
  writeFileSync(`${stage}package.json`, JSON.stringify(shipped({ ...manifest, version }), null, 2))
  cpSync(`${root}dist/bundle`, `${stage}dist`, { recursive: true })
  for (const name of ['README.md', 'LICENSE', 'media', 'l10n', 'package.nls.json', 'package.nls.zh-cn.json'])
    cpSync(root + name, stage + name, { recursive: true })
  cpSync(fileURLToPath(new URL('../../CHANGELOG.md', new URL('..', import.meta.url))), `${stage}CHANGELOG.md`)
  const packagePath = `${root}dist/mutsumi-${version}.vsix`
  await createVSIX({
    cwd: stage,
    packagePath,
    dependencies: false,
    skipLicense: true,
    allowMissingRepository: true,
    rewriteRelativeLinks: false,
  })
  const { size } = statSync(packagePath)
  if (size > largest) throw new Error(`${packagePath} has ${size} bytes; at most ${largest} are wanted`)
  return packagePath
}

/** Everything is in the bundle, which is CommonJS. */
function shipped({
  type: _,
  private: __,
  devDependencies: ___,
  scripts: ____,
  engines: { vscode },
  ...manifest
}) {
  return { ...manifest, engines: { vscode } }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const path = await packageExtension()
  console.log(`${path} (${Math.round(statSync(path).size / 1024)} KiB)`)
}
