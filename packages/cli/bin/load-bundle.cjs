'use strict'
// Loads the files of the bundled command. Compiling them takes a third of a short run, so the build keeps what V8 made
// of them beside them, and it is taken from there: `prompt.cjs`, `prompt.cjs.cache`. A cache that does not fit, because
// it was made by another Node or for another text, is passed over, and costs nothing but the time it would have saved.
const { readFileSync, statSync } = require('node:fs')
const { Script } = require('node:vm')

/** Runs the file `name` in `folder`, and what it requires from there. `compiled` hears of every script. */
exports.loadBundle = function loadBundle(folder, name, compiled) {
  const modules = new Map()
  const load = (path) => {
    if (!path.startsWith('./')) return require(path)
    const known = modules.get(path)
    if (known) return known.exports
    const file = folder + path.slice(2)
    const module = { exports: {} }
    modules.set(path, module)
    const script = compile(file)
    compiled?.(file, script)
    script.runInThisContext()(module.exports, load, module, file, folder)
    return module.exports
  }
  return load(`./${name}`)
}

const head = '(function (exports, require, module, __filename, __dirname) { '

function compile(file) {
  const source = `${head}${readFileSync(file, 'utf8')}\n})`
  return new Script(source, { filename: file, columnOffset: -head.length, cachedData: cacheOf(file) })
}

/** V8 knows a text again by its length alone: what was written after its cache must not be run from it. */
function cacheOf(file) {
  try {
    const cache = `${file}.cache`
    return statSync(cache).mtimeMs >= statSync(file).mtimeMs ? readFileSync(cache) : undefined
  } catch {
    // Not there, or not ours to read: then it is compiled.
    return undefined
  }
}
