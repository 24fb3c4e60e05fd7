// Runs the tests like vitest's own runner, but a test about a race has no second try: that would hide what it looks for.
import { readFileSync } from 'node:fs'
import { TestRunner as VitestRunner } from 'vitest'
import { isAboutRaces } from './second-tries.mjs'

export default class TestRunner extends VitestRunner {
  #aboutRaces = new Map()

  onBeforeRunTask(test) {
    if (this.#isAboutRaces(test.file.filepath)) test.retry = 0
    return super.onBeforeRunTask?.(test)
  }

  #isAboutRaces(file) {
    if (!this.#aboutRaces.has(file)) this.#aboutRaces.set(file, isAboutRaces(readFileSync(file, 'utf8')))
    return this.#aboutRaces.get(file)
  }
}
