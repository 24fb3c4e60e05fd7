import type { JsonObject } from '@mutsumi/schema'

/*
 * The arguments of the tools, as JSON Schema for native calls. They are written by hand, so that a request needs
 * neither zod nor the tools' code, and kept short. The tools check arguments with their own schemas, and a test
 * compares the two.
 */

export const lsArguments = object({
  path: text({ default: '.' }),
  offset: whole(),
  limit: whole({ default: 100, maximum: 200 }),
  include_hidden: flag(),
  ignore: list(text(), 'as in .gitignore'),
})

export const globArguments = object(
  {
    pattern: text({ description: '* stays in one folder, ** does not' }),
    path: text({ default: '.' }),
    limit: whole({ default: 50, maximum: 200 }),
    include_hidden: flag(),
    include_ignored: flag(),
  },
  ['pattern'],
)

export const grepArguments = object(
  {
    pattern: text({ description: 'Rust regex within one line; escape brackets' }),
    path: text({ description: 'file or folder', default: '.' }),
    include: text({ description: '*.ts' }),
    case_sensitive: flag({ default: true }),
    context_lines: whole(),
    limit: whole({ default: 100, maximum: 1000 }),
  },
  ['pattern'],
)

export const readArguments = object(
  { path: text(), start_line: whole({ default: 1 }), limit: whole({ default: 500, maximum: 2000 }) },
  ['path'],
)

export const editArguments = object(
  {
    path: text(),
    old_string: text({
      description: 'exact text with indentation, without line numbers',
    }),
    new_string: text(),
    replace_all: flag(),
    dry_run: flag(),
  },
  ['path', 'old_string', 'new_string'],
)

export const multiEditArguments = object(
  {
    path: text(),
    edits: list(
      object({ old_string: text(), new_string: text(), replace_all: flag() }, ['old_string', 'new_string']),
    ),
    dry_run: flag(),
  },
  ['path', 'edits'],
)

export const writeArguments = object(
  { path: text(), content: text({ description: 'the whole text' }), dry_run: flag() },
  ['path', 'content'],
)

export const bashArguments = object(
  {
    command: text(),
    directory: text({ default: '.' }),
    timeout_ms: whole({ default: 120_000, maximum: 600_000 }),
  },
  ['command'],
)

export const todoWriteArguments = object(
  {
    summary: text({ description: 'the goal' }),
    todos: list(
      object(
        {
          content: text(),
          status: { ...text(), enum: ['pending', 'in_progress', 'completed', 'cancelled'] },
        },
        ['content', 'status'],
      ),
      'max 20, one in_progress',
    ),
  },
  ['todos'],
)

export const recallArguments = object(
  {
    id: text({ description: 'named by that result' }),
    start_line: whole({ default: 1 }),
    limit: whole({ default: 500, maximum: 2000 }),
  },
  ['id'],
)

export const skillArguments = object(
  { name: text(), params: { type: 'object', additionalProperties: { type: 'string' } } },
  ['name'],
)

function object(properties: JsonObject, required: readonly string[] = []): JsonObject {
  return { type: 'object', properties, ...(required.length > 0 && { required }) }
}

function text(more: JsonObject = {}): JsonObject {
  return { type: 'string', ...more }
}

function whole(more: JsonObject = {}): JsonObject {
  return { type: 'integer', ...more }
}

/** Absent: false. */
function flag(more: JsonObject = {}): JsonObject {
  return { type: 'boolean', ...more }
}

function list(items: JsonObject, description?: string): JsonObject {
  return { type: 'array', items, ...(description !== undefined && { description }) }
}
