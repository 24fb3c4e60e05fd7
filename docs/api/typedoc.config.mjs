// npm run docs: the API of every library, from its sources, into docs/api/site. typedoc needs the compiler of TypeScript 6,
// which this folder has for itself: TypeScript 7 has no interface for programs yet.
import { libraries } from '../../scripts/libraries.mjs'

export default {
  name: 'Mutsumi',
  readme: 'README.md',
  entryPointStrategy: 'packages',
  entryPoints: libraries.map((name) => `../../packages/${name}`),
  packageOptions: {
    entryPoints: ['src/index.ts'],
    readme: 'README.md',
    excludePrivate: true,
    excludeExternals: true,
    // Our exports may use types that are not exported themselves.
    validation: { notExported: false },
  },
  out: 'site',
  // The address of the sources is not known here.
  disableSources: true,
  treatWarningsAsErrors: true,
}
