import type { Question } from './question.js'
import { clip, placeName } from './quote.js'
import { holds } from './rank.js'
import { grep } from './search.js'
import type { ToolWork } from './tool-result.js'

export interface ManifestFacts {
  readonly facts: readonly string[]
  /** Runs the script that was asked for. */
  readonly command?: string | undefined
}

const fields = 'version license licence node engine author'
const manifests = '{package.json,Cargo.toml,pyproject.toml}'

/** What the manifest says: fields that are asked for by name, and the scripts that run what is asked for. */
export function* manifestFacts({ terms, kind, isHowTo }: Question): ToolWork<ManifestFacts> {
  const isField = terms.some((term) => term.name === undefined && holds(fields, term))
  // "Which version of Node": the field is named after the other word.
  const others = terms.filter(({ forms }) => !forms.includes('version'))
  const asked = others.length > 0 ? others : terms
  const keys = asked.flatMap(({ forms }) => forms).filter((form) => /^[a-z-]+$/.test(form))
  if (kind !== 'what' || keys.length === 0 || !(isHowTo || isField)) return { facts: [] }
  const { lines } = yield grep(`^\\s*"?(${keys.join('|')}).*[:=] *"`, manifests)
  const found = lines.flatMap(({ text, ...place }) => {
    const [, key = '', value = ''] = /^\s*"?([\w:.-]+)"?\s*[:=]\s*"(.*?)",?\s*$/.exec(text) ?? []
    const isVersion = /^[\s^~<>=v*]*\d/.test(value)
    const isWanted = isField
      ? isVersion || others.length === terms.length
      : !isVersion && !place.file.includes('/')
    return isWanted && asked.every((term) => holds(key, term))
      ? [{ key, value: clip(value, 160), place }]
      : []
  })
  // The packages of a workspace have fields that its root has not.
  const atRoot = found.filter(({ place }) => !place.file.includes('/'))
  const shown = (atRoot.length > 0 ? atRoot : found).sort((one, other) => one.key.length - other.key.length)
  const told = shown.slice(0, 10).map(({ key, value, place }) => ({
    name: isField ? key : /^(?:test|start)$/.test(key) ? `npm ${key}` : `npm run ${key}`,
    rest: `${isField ? ':' : ' →'} ${value} (${placeName(place)})`,
  }))
  const more = shown.length > told.length ? [`- … (${shown.length - told.length})`] : []
  return {
    facts: [...told.map(({ name, rest }) => `- \`${name}\`${rest}`), ...more],
    command: isField ? undefined : told[0]?.name,
  }
}
