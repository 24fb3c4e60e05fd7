import { type CompactionAct, isJsonObject, type RecordedCall, type SessionRecord } from '@mutsumi/schema'

/** The check for a field, and its description for people. */
interface FieldShape {
  readonly name: string
  readonly expected: string
  readonly optional: boolean
  readonly fits: (value: unknown) => boolean
}

/** The fields of a header in the order in which they are written. */
export const headerShape: readonly FieldShape[] = [
  field('format', 'the word "mutsumi"', (value) => value === 'mutsumi'),
  field('version', 'a number', isNumber),
  field('id', 'a text', isText),
  field('created', 'a text', isText),
  field('metadata', 'an object', isJsonObject),
]

const content = [optional('stored', 'a text', isText), optional('metadata', 'an object', isJsonObject)]
const ofCell = field('cell', 'the id of a cell', isText)
const ofStep = field('step', 'a number', isNumber)
const ofFiles = field('files', 'a list of changes to files', isListOfChanges)

/** The fields of each record after `type`, `id` and `at`, in the order in which they are written. */
const shapes: Readonly<Record<SessionRecord['type'], readonly FieldShape[]>> = {
  cell: shape(
    field('role', 'a text', isText),
    field('content', 'a text', isText),
    optional('after', 'the id of a cell, or null', isTextOrNull),
    ...content,
  ),
  step: shape(
    ofCell,
    ofStep,
    field('content', 'a text', isText),
    optional('calls', 'a list of calls', isListOfCalls),
    optional('final', 'true', (value) => value === true),
    optional('texts', 'a list of places of texts', isListOfTexts),
    ...content,
  ),
  partial: shape(
    ofCell,
    ofStep,
    field('from', 'a count', isCount),
    field('content', 'a text', isText),
    optional('note', 'a text', isText),
    optional('metadata', 'an object', isJsonObject),
  ),
  steer: shape(ofCell, ofStep, field('content', 'a text', isText), ...content),
  intent: shape(ofCell, ofStep, field('call', 'a call with id and name', isNamedCall)),
  result: shape(
    ofCell,
    ofStep,
    field('call', 'the id of a call', isText),
    field('tool', 'a text', isText),
    field('content', 'a text', isText),
    optional('observation', 'a hash', isText),
    ...content,
  ),
  snapshot: shape(
    field('hash', 'a text', isText),
    field('size', 'a number', isNumber),
    optional('content', 'a text', isText),
  ),
  metadata: shape(
    field('set', 'an object', isJsonObject),
    optional('splice', 'an object of changes to lists', isSplices),
  ),
  usage: shape(
    field('request', 'the id of a request', isText),
    field('input', 'a number', isNumber),
    field('output', 'a number', isNumber),
    optional('cached', 'a number', isNumber),
    optional('written', 'a number', isNumber),
  ),
  compaction: shape(
    field('compaction', 'a compaction, or the undo of one', isCompactionAct),
    optional('last', 'the id of a cell', isText),
    optional('upToLast', 'the id of a cell', isText),
  ),
  act: shape(field('act', 'an object with "act"', (value) => isJsonObject(value) && isText(value.act))),
  edit: shape(
    ofCell,
    optional('content', 'a text', isText),
    optional('role', 'a text', isText),
    optional('after', 'the id of a cell, or null', isTextOrNull),
    optional('deleted', 'true', (value) => value === true),
    ...content,
  ),
  request: shape(
    ofCell,
    field('number', 'a number', isNumber),
    field('keep', 'a count', isCount),
    field('add', 'a list of messages', (value) => Array.isArray(value) && value.every(isReference)),
    field('fingerprint', 'a text', isText),
    optional('model', 'a text', isText),
    optional('shortened', 'a count', isCount),
    optional('given', 'the items of a message', isGiven),
    optional('purpose', 'a text', isText),
    optional('rest', 'a text, or the hash of a snapshot', isPiece),
    optional('cacheAfter', 'a list of counts', (value) => Array.isArray(value) && value.every(isCount)),
  ),
  change: shape(
    ofCell,
    field('tool', 'a text', isText),
    optional('call', 'the id of a call', isText),
    ofFiles,
    optional('begun', 'true', (value) => value === true),
    optional('unseen', 'a text', isText),
  ),
  undo: shape(
    field('cells', 'a list of ids of cells', (value) => Array.isArray(value) && value.every(isText)),
    ofFiles,
  ),
  redo: shape(field('undo', 'the id of an undo', isText), ofFiles),
  end: shape(ofCell, field('status', 'a text', isText), field('message', 'a text', isText)),
}

const shapeByType = new Map<unknown, readonly FieldShape[]>(Object.entries(shapes))

/** The shape of a record of this type; undefined if this version does not know the type. */
export function shapeOf(type: unknown): readonly FieldShape[] | undefined {
  return shapeByType.get(type)
}

/** The first problem of a value that does not match a shape. */
export function shapeProblem(
  value: Readonly<Record<string, unknown>>,
  fields: readonly FieldShape[],
): string | undefined {
  for (const { name, expected, optional, fits } of fields) {
    const given = value[name]
    if (given === undefined ? !optional : !fits(given)) return `"${name}" must be ${expected}`
  }
  return undefined
}

function shape(...fields: readonly FieldShape[]): readonly FieldShape[] {
  return [field('id', 'a text', isText), field('at', 'a text', isText), ...fields]
}

function field(name: string, expected: string, fits: FieldShape['fits']): FieldShape {
  return { name, expected, fits, optional: false }
}

function optional(name: string, expected: string, fits: FieldShape['fits']): FieldShape {
  return { name, expected, fits, optional: true }
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

function isTextOrNull(value: unknown): boolean {
  return typeof value === 'string' || value === null
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number'
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

export function isCall(value: unknown): value is RecordedCall {
  return isJsonObject(value) && isText(value.id) && isText(value.name) && isJsonObject(value.args)
}

function isNamedCall(value: unknown): boolean {
  return isCall(value) || (isJsonObject(value) && isCall({ args: {}, ...value }))
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isArgumentText)
}

function isArgumentText(value: unknown): boolean {
  if (!isJsonObject(value) || !Array.isArray(value.at) || !isCount(value.at[0])) return false
  if (value.stored !== undefined) return isText(value.stored) && value.at.length === 1
  return isCount(value.from) && isCount(value.to) && value.at.every((step) => isText(step) || isCount(step))
}

function isListOfCalls(value: unknown): boolean {
  return Array.isArray(value) && value.every(isCall)
}

export function isCompactionAct(value: unknown): value is CompactionAct {
  if (!isJsonObject(value)) return false
  if (value.undo !== undefined) return isText(value.undo)
  return isText(value.id) && isCount(value.cells) && isCount(value.upTo)
}

function isListOfChanges(value: unknown): boolean {
  return Array.isArray(value) && value.every(isFileChange)
}

function isFileChange(value: unknown): boolean {
  return (
    isJsonObject(value) &&
    isText(value.path) &&
    isVersion(value.before) &&
    isVersion(value.after) &&
    (value.made === undefined || isText(value.made))
  )
}

function isVersion(value: unknown): boolean {
  if (value === null) return true
  if (!isJsonObject(value) || !isText(value.hash) || !isCount(value.mode)) return false
  const { base64, lost, size } = value
  const areCounts = [lost, size].every((count) => count === undefined || isCount(count))
  return (base64 === undefined || isText(base64)) && areCounts
}

function isSplices(value: unknown): boolean {
  return isJsonObject(value) && Object.values(value).every(isSplice)
}

function isSplice(value: unknown): boolean {
  return isJsonObject(value) && isCount(value.at) && isCount(value.remove) && Array.isArray(value.insert)
}

function isReference(value: unknown): boolean {
  if (!isJsonObject(value)) return false
  if (value.calls !== undefined && !isListOfCalls(value.calls)) return false
  if (value.record !== undefined) return isText(value.record)
  return isJsonObject(value.message) && Array.isArray(value.pieces) && value.pieces.every(isPiece)
}

function isGiven(value: unknown): boolean {
  return (
    isJsonObject(value) &&
    Array.isArray(value.pieces) &&
    value.pieces.every(isPiece) &&
    isJsonObject(value.has) &&
    (value.base === undefined || isJsonObject(value.base))
  )
}

function isPiece(value: unknown): boolean {
  return isText(value) || (isJsonObject(value) && isText(value.snapshot))
}
