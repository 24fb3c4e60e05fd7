import { statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { factsOfModel, type Model, type ModelEvent, type ModelRequest } from '@mutsumi/schema'
import { UsageError } from '../terminal/failure.js'
import { makeFolders } from '../terminal/make-folders.js'
import { say } from '../words/say.js'

/** A model whose requests and replies are written to files, one each. They contain no keys. */
export function traceModel(model: Model, folder: string): Model {
  makeTraceFolder(folder)
  let count = 0
  return {
    ...factsOfModel(model),
    async *stream(request, options) {
      const number = String(++count).padStart(4, '0')
      const events: ModelEvent[] = []
      const started = new Date().toISOString()
      try {
        for await (const event of model.stream(request, options)) {
          events.push(event)
          yield event
        }
      } finally {
        write(join(folder, `${started.replaceAll(':', '-')}-${number}.json`), {
          model: model.name,
          started,
          request,
          events,
        })
      }
    },
  }
}

function makeTraceFolder(folder: string): void {
  try {
    makeFolders(resolve(folder))
  } catch (error) {
    throw new UsageError(say`--trace ${folder}: it cannot be created: ${(error as Error).message}`)
  }
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(say`--trace ${folder}: it is not a folder`)
}

interface Trace {
  readonly model: string
  readonly started: string
  readonly request: ModelRequest
  readonly events: readonly ModelEvent[]
}

function write(file: string, trace: Trace): void {
  writeFileSync(file, `${JSON.stringify(trace, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
}
