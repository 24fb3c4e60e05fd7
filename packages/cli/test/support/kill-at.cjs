// Loaded before the command (`node -r`): kills the process at its n-th step that changes a disk, or says how many there are.
const fs = require('node:fs')
const promises = require('node:fs/promises')

const at = Number(process.env.KILL_AT ?? 0)
let steps = 0

function step() {
  steps++
  if (steps === at) process.kill(process.pid, 'SIGKILL')
}

function counted(object, names) {
  for (const name of names) {
    const real = object[name]
    object[name] = function (...args) {
      step()
      return real.apply(this, args)
    }
  }
}

counted(fs, [
  'fsyncSync',
  'writeSync',
  'writeFileSync',
  'renameSync',
  'linkSync',
  'unlinkSync',
  'rmSync',
  'rmdirSync',
  'mkdirSync',
  'fchmodSync',
  'chmodSync',
])
counted(promises, ['rename', 'rm', 'rmdir', 'unlink', 'link', 'mkdir'])

const open = promises.open
let isWrapped = false
promises.open = async (...args) => {
  const file = await open(...args)
  if (!isWrapped)
    counted(Object.getPrototypeOf(file), ['sync', 'datasync', 'write', 'writev', 'writeFile', 'truncate'])
  isWrapped = true
  return file
}

process.on('exit', () => {
  if (at === 0) fs.writeFileSync(2, `steps: ${steps}\n`)
})
