'use strict'
// Loads the files of the bundled command. Compiling them takes a third of a short run, so the build keeps what V8 made
// of them beside them, and it is taken from there: `prompt.cjs`, `prompt.cjs.cache`. A cache that does not fit, because
// it was made by another Node or for another text, or was damaged, is passed over, and costs nothing but the time it
// would have saved.
const { createHash } = require('node:crypto')
const { readFileSync } = require('node:fs')
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

/** What is kept beside `file`: what V8 made of it, and behind that the seal by which it is known again. */
exports.sealedCache = function sealedCache(file, script) {
  const made = script.createCachedData()
  return Buffer.concat([made, sealOf(readFileSync(file), made)])
}

const head = '(function (exports, require, module, __filename, __dirname) { '

function compile(file) {
  const text = readFileSync(file)
  const source = `${head}${text.toString('utf8')}\n})`
  return new Script(source, {
    filename: file,
    columnOffset: -head.length,
    cachedData: cacheOf(file, text),
  })
}

const sealBytes = 20

/**
 * V8 knows a text again by its length alone, and damage inside a cache ends the whole process. So the seal tells of
 * both; times tell nothing, since npm unpacks in an order of its own.
 */
function cacheOf(file, text) {
  try {
    const cache = readFileSync(`${file}.cache`)
    const made = cache.subarray(0, -sealBytes)
    return sealOf(text, made).equals(cache.subarray(-sealBytes)) ? made : undefined
  } catch {
    // Not there, or not ours to read: then it is compiled.
    return undefined
  }
}

function sealOf(text, made) {
  return createHash('sha1').update(text).update(made).digest()
}
