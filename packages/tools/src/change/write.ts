import { boolean, strictObject, string } from 'zod'
import { defineTool } from '../contract/define-tool.js'
import { writeDescription } from '../prompts/descriptions.js'
import { toLineFeeds } from '../text-edit/line-endings.js'
import { replaceSpans, type TextReplacement } from '../text-edit/replace-spans.js'
import { newTextFile, type TextFile } from '../text-edit/text-file.js'
import { changeFailure, changeFile, type Decide } from './change-file.js'
import { fileText } from './file-text.js'

const parameters = strictObject({
  path: string().min(1),
  content: fileText,
  dry_run: boolean().default(false),
})

/** Creates a file or replaces all of its text; a replaced file keeps its encoding and line endings. */
export const write = defineTool({
  ...writeDescription,
  parameters,
  touches: ({ path }) => ({ paths: [path] }),
  run: async (args, context) => changeFile(args, context, await contentOf(args)),
  failure: async (args, context) => changeFailure(args, context, await contentOf(args)),
})

async function contentOf({ content }: { readonly content: string }): Promise<Decide> {
  const { lineSpans } = await import('../text-edit/line-spans.js')
  return (before) => ({
    kind: 'change',
    after: withContent(before, content, lineSpans),
    replacements: before === undefined ? 0 : 1,
  })
}

type LineSpans = (before: string, after: string) => TextReplacement[]

function withContent(before: TextFile | undefined, written: string, lineSpans: LineSpans): TextFile {
  if (before === undefined) return newTextFile(written)
  // The byte order mark belongs to the encoding; a second one would be text.
  const content = before.encoding.mark > 0 ? written.replace(/^\uFEFF/, '') : written
  // Without a line there is no line ending to keep.
  if (!before.text.includes('\n')) return { ...newTextFile(content), encoding: before.encoding }
  const text = toLineFeeds(content)
  // Only with mixed line endings does it matter which lines stay.
  return typeof before.endings === 'string'
    ? { ...before, text }
    : replaceSpans(before, lineSpans(before.text, text))
}
