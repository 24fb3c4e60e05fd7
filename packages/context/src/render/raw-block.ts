import type { ItemContent } from '../collect/item-content.js'
import { fingerprint } from '../fingerprint.js'
import type { CurrentVersions } from './current-versions.js'
import { encodeJson, spellsTag } from './tags.js'

/**
 * The inside of a block with its contents verbatim: JSON first, with `{"raw":N}` in place of each content,
 * then the contents between boundary lines.
 *
 *     {"boundary":"=====4f1c…","rules":[],"files":{"a.ts":{"raw":1}},"tools":[]}
 *     =====4f1c… 1
 *     const a = 1
 *     =====4f1c… end
 *
 * A content that spells one of our tags stays in the JSON, where it can be written so that it does not.
 */
export function renderRawBlock(items: readonly ItemContent[], current: CurrentVersions | undefined): string {
  const verbatim = items.filter((item) => !spellsTag(item.content))
  if (verbatim.length === 0) return encodeJson(blockHeader(items, current, (item) => item.content))
  const numbers = new Map(verbatim.map((item, index) => [item, index + 1]))
  const boundary = chooseBoundary(items)
  const shown = (item: ItemContent) => {
    const raw = numbers.get(item)
    return raw === undefined ? item.content : { raw }
  }
  const header = { boundary, ...blockHeader(items, current, shown) }
  const contents = verbatim.map((item, index) => `${boundary} ${index + 1}\n${item.content}\n`)
  return `${encodeJson(header)}\n${contents.join('')}${boundary} end`
}

function blockHeader(
  items: readonly ItemContent[],
  current: CurrentVersions | undefined,
  shown: (item: ItemContent) => string | { readonly raw: number },
) {
  const of = (type: ItemContent['type']) => items.filter((item) => item.type === type)
  return {
    rules: of('rule').map((item) => ({ name: item.key, content: shown(item) })),
    files: Object.fromEntries(of('file').map((item) => [item.key, shown(item)])),
    tools: of('tool').map((item) => ({
      name: item.tool?.name ?? item.key,
      args: item.tool?.args ?? {},
      result: shown(item),
    })),
    ...(current === undefined ? {} : { current }),
  }
}

/**
 * A line that no content holds, the same for the same contents. The hash makes that almost certain and the
 * search makes it sure: a content that holds the candidate sends us to the next one.
 */
function chooseBoundary(items: readonly ItemContent[]): string {
  const contents = items.map((item) => item.content)
  const hash = fingerprint(contents.map((content) => `${content.length}:${fingerprint(content)}`).join(' '))
  for (let attempt = 0; ; attempt++) {
    const boundary = `=====${fingerprint(`${attempt}:${hash}`).slice(0, 12)}`
    if (!contents.some((content) => content.includes(boundary))) return boundary
  }
}
