'use strict'
// Loads the files of the bundled command. Each contains chunks: functions that run when they are first required.
// Compiling them takes a third of a short run, so a run stores V8's compiled code beside them (`prompt.cjs`,
// `prompt.cjs.v20.19.0-x64.cache`), and later runs use it. A cache that belongs to another text, or is damaged, is
// ignored, and costs only the time it would have saved.
const {
  accessSync,
  constants,
  fstatSync,
  readFileSync,
  closeSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} = require('node:fs')
const { Script } = require('node:vm')
const { crc32 } = require('node:zlib')

/** Runs the chunk `start` from the file of that name in `folder`, with the chunks that it requires. */
exports.loadBundle = function loadBundle(folder, start) {
  const files = new Map()
  const modules = new Map()
  let places = {}
  let isNew = false
  const keepNew = () => {
    if (isNew) keep(folder, files)
    isNew = false
  }

  const open = (name) => {
    let file = files.get(name)
    if (file === undefined) {
      file = compile(folder + name)
      files.set(name, file)
    }
    return file
  }
  const load = (path) => {
    if (!path.startsWith('./')) return require(path)
    const name = path.slice(2)
    let module = modules.get(name)
    if (module === undefined) {
      module = { exports: {} }
      modules.set(name, module)
      const file = open(places[name] ?? name)
      if (!file.ran.has(name)) {
        file.ran.add(name)
        isNew = true
      }
      file.chunks[name](module.exports, load, module)
    }
    return module.exports
  }
  process.once('exit', keepNew)
  // A conversation may take hours, so it reports when it is idle.
  process.on('mutsumi-rest', keepNew)
  places = open(start).files
  return load(`./${start}`)
}

const isOff = process.env.NODE_DISABLE_COMPILE_CACHE !== undefined

/** A file's chunks, and the names of those that had run when its cache was made. */
function compile(path) {
  const text = readFileSync(path)
  const sum = isOff ? 0 : crc32(text)
  const cache = isOff ? undefined : readCache(path, sum)
  const script = new Script(text.latin1Slice(), { filename: path, cachedData: cache?.made })
  const ran = new Set(script.cachedDataRejected === false ? cache.ran : [])
  return { sum, script, ran, ...script.runInThisContext() }
}

/**
 * Writes the cache of every file that this run has loaded. A chunk ran that is in no cache, so this is a new kind of run,
 * and other files may have new functions too. Functions that came from a cache stay in it.
 */
function keep(folder, files) {
  if (isOff || hasForgottenItsStart() || !isOurs(folder)) return
  for (const [name, { sum, script, ran }] of files) {
    const path = cachePath(folder + name)
    const whole = `${path}.${process.pid}.new`
    try {
      // The file gets its name only when it is complete. No other user may write it, because it is code.
      writeParts(whole, sealed(sum, script.createCachedData(), ran))
      renameSync(whole, path)
    } catch {
      // The disk is full, or the package is being replaced. The next run compiles again.
      rmSync(whole, { force: true })
      return
    }
  }
}

/** V8 drops the code of functions that have not run for long, so the cache of a long run would lack the first ones. */
function hasForgottenItsStart() {
  return process.uptime() > 60
}

/** Caches are beside the code and belong to its owner, so anybody who can change them can change the code itself. */
function isOurs(folder) {
  try {
    accessSync(folder, constants.W_OK)
    return process.getuid === undefined || statSync(folder).uid === process.getuid()
  } catch {
    return false
  }
}

function cachePath(path) {
  return `${path}.${process.version}-${process.arch}.cache`
}

// A cache file:  V8's code │ names of the chunks that ran │ length of the names │ checksum of the text │ and of the rest
const numberBytes = 4

/** The parts of a cache file. They are large, and never joined in memory. */
function sealed(sum, made, ran) {
  const names = Buffer.from([...ran].join('\n'))
  const length = numbers(names.length)
  const rest = crc32(length, crc32(names, crc32(made)))
  return [made, names, length, numbers(sum, rest)]
}

function writeParts(path, parts) {
  const file = openSync(path, 'w', 0o644)
  try {
    for (const part of parts) for (let at = 0; at < part.length; ) at += writeSync(file, part, at)
  } finally {
    closeSync(file)
  }
}

/**
 * V8 recognises a text by its length alone, and damage inside a cache ends the whole process. So checksums detect both.
 * Times would prove nothing, since npm unpacks in any order. Loading node:crypto would cost 2 ms.
 */
function readCache(path, sum) {
  let cache
  try {
    cache = readRegular(cachePath(path))
  } catch {
    // The cache is missing, or we may not read it, so the file is compiled.
    return undefined
  }
  const content = cache.subarray(0, -2 * numberBytes)
  if (!numbers(sum, crc32(content)).equals(cache.subarray(-2 * numberBytes))) return undefined
  const end = content.length - numberBytes
  const namesAt = end - content.readUInt32LE(end)
  return {
    made: content.subarray(0, namesAt),
    ran: content.subarray(namesAt, end).toString('latin1').split('\n'),
  }
}

/** Without waiting: whatever is in a cache's place must not keep the command from starting. */
function readRegular(path) {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const stats = fstatSync(file)
    if (!stats.isFile() || stats.size > largestCache) throw new Error('not a cache')
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}

const largestCache = 64 * 1024 * 1024

function numbers(...values) {
  const bytes = Buffer.alloc(numberBytes * values.length)
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, numberBytes * index)
  return bytes
}
