// Makes one declaration file per entry point of a library from the many that tsc writes. It contains only declarations
// that users can reach. It knows the statements that tsc emits for our sources, and throws for any other. The result is
// compiled, with `skipLibCheck` off, by test/packed-types.test.ts.
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { parseAst } from 'rolldown/parseAst'

/** The text of `NAME.d.ts` for every entry point, from the declarations of the same names in `folder`. */
export function flatDeclarations(folder, entries) {
  const files = new Files()
  const offers = entries.flatMap((entry) => {
    const path = `${folder}/${entry}.d.ts`
    const module = `./${entry}.js`
    return [...files.open(path).exports].map(([name, { isType }]) => ({
      ...{ entry, module, name, isType },
      binding: files.find(path, name),
    }))
  })
  // The first entry point that exports something owns it, and the others import it, because a class must not exist twice.
  const owners = new Map()
  for (const { binding, module, name } of offers)
    if (!owners.has(keyOf(binding))) owners.set(keyOf(binding), { module, name })
  const unowned = new Set()
  return entries.map((entry) => {
    const flat = new FlatFile(files, { owners, module: `./${entry}.js` })
    for (const { name, binding, isType } of offers.filter((offer) => offer.entry === entry))
      flat.offer(name, binding, isType)
    for (const key of flat.unownedClasses) {
      if (unowned.has(key)) throw new Error(`${key} is used by two entry points, and offered by neither`)
      unowned.add(key)
    }
    return { name: `${entry}.d.ts`, text: flat.toString() }
  })
}

/** One declaration file in the making. */
class FlatFile {
  #files
  #owners
  #module
  #offered = new Map()
  #reached = new Map()

  constructor(files, { owners, module }) {
    this.#files = files
    this.#owners = owners
    this.#module = module
  }

  offer(name, binding, isType) {
    this.#offered.set(name, { binding, isType })
    this.#reach(binding)
  }

  /** Classes that this file declares although no entry point exports them. */
  get unownedClasses() {
    return [...this.#reached]
      .filter(([key, { statements }]) => !this.#owners.has(key) && statements.some(isNominal))
      .map(([key]) => key)
  }

  #reach(binding) {
    const key = keyOf(binding)
    if (this.#reached.has(key)) return
    const owner = this.#owners.get(key)
    if (owner && owner.module !== this.#module) {
      this.#reached.set(key, { binding: owner, statements: [] })
      return
    }
    const statements =
      binding.module === undefined ? this.#files.open(binding.path).declared.get(binding.name) : []
    this.#reached.set(key, { binding, statements })
    for (const { references } of statements)
      for (const reference of references) this.#reach(reference.binding)
  }

  toString() {
    const names = this.#namesOfReached()
    const offered = [...this.#offered].map(([name, { binding, isType }]) => ({
      name,
      as: names.get(keyOf(binding)),
      isType,
      statements: this.#reached.get(keyOf(binding)).statements,
    }))
    // Others, and classes that are exported only as types, need a list.
    const isPlain = ({ name, as, isType, statements }) =>
      name === as && statements.length > 0 && !(isType && statements.some(isNominal))
    const plain = new Set(offered.filter(isPlain).map(({ name }) => name))
    const listed = offered
      .filter((one) => !isPlain(one))
      .map(({ name, as, isType }) => `${isType ? 'type ' : ''}${name === as ? name : `${as} as ${name}`}`)
    const declarations = [...this.#reached].flatMap(([key, { statements }]) => {
      const name = names.get(key)
      const start = plain.has(name) ? 'export ' : ''
      return statements.map((one) => `${one.comment}${start}${declarationText(one, name, names)}`)
    })
    // A declaration file without such a list exports everything in it.
    const list = listed.length === 0 ? 'export {}' : `export { ${listed.join(', ')} }`
    return `${[...this.#imports(names), ...declarations, list].join('\n')}\n`
  }

  /** Gives each declaration a name that no other declaration in this file, and not the language itself, uses. */
  #namesOfReached() {
    const statements = [...this.#reached.values()].flatMap((one) => one.statements)
    const taken = new Set(statements.flatMap(({ free }) => [...free]))
    const names = new Map()
    for (const [key, { binding }] of this.#reached) {
      const wanted = binding.name === 'default' ? binding.local : binding.name
      let name = wanted
      for (let number = 1; taken.has(name); number++) name = `${wanted}_${number}`
      taken.add(name)
      names.set(key, name)
    }
    return names
  }

  #imports(names) {
    const modules = new Map()
    for (const [key, { binding }] of this.#reached) {
      if (binding.module === undefined) continue
      const as = names.get(key)
      const specifier = binding.name === as ? as : `${binding.name} as ${as}`
      modules.set(binding.module, [...(modules.get(binding.module) ?? []), specifier])
    }
    return [...modules].map(([module, specifiers]) => `import { ${specifiers.join(', ')} } from '${module}'`)
  }
}

function keyOf({ path, module, name }) {
  return `${module ?? path}#${name}`
}

/** Two copies of a type are the same type, but two copies of a class are not. */
function isNominal({ node }) {
  return !['TSInterfaceDeclaration', 'TSTypeAliasDeclaration'].includes(node.type)
}

/** A declaration with its name in the flat file, and with the new names of everything that it refers to. */
function declarationText({ node, text, references }, name, names) {
  const own = identifierOf(node)
  const edits = [
    { start: own.start, end: own.start + own.name.length, name },
    ...references.map(({ start, end, binding }) => ({ start, end, name: names.get(keyOf(binding)) })),
  ]
  let flat = text.slice(node.start, node.end)
  for (const edit of edits.sort((one, other) => other.start - one.start))
    flat = flat.slice(0, edit.start - node.start) + edit.name + flat.slice(edit.end - node.start)
  return flat
}

/** Prompts are text files, which the build inlines. */
const promptDeclaration = 'declare const prompt: string; export { prompt as default }'

/** The declaration files of a library, and the declarations that their names refer to. */
class Files {
  #files = new Map()

  open(path) {
    const known = this.#files.get(path)
    if (known) return known
    const file = { path, declared: new Map(), imported: new Map(), exports: new Map() }
    this.#files.set(path, file)
    this.#read(file, path.endsWith('.md') ? promptDeclaration : readFileSync(path, 'utf8'))
    return file
  }

  /** Finds the export of a file by its name. */
  find(path, name) {
    const found = this.open(path).exports.get(name)
    if (found === undefined) throw new Error(`${path} does not export ${name}`)
    return found.local === undefined ? this.#follow(path, found) : this.#lookUp(path, found.local)
  }

  /** Finds the meaning of a name inside a file; undefined if the name belongs to the language. */
  #lookUp(path, name) {
    const { declared, imported } = this.open(path)
    if (declared.has(name)) return { path, name }
    return imported.has(name) ? this.#follow(path, imported.get(name)) : undefined
  }

  #follow(path, { from, name, local }) {
    if (!from.startsWith('.')) return { module: from, name, local }
    return this.find(resolve(dirname(path), from.replace(/\.js$/, '.d.ts')), name)
  }

  #read(file, text) {
    const { body } = parseAst(text, { lang: 'dts' })
    const nodes = []
    for (const statement of body) {
      const { type, declaration, source, specifiers, exportKind } = statement
      if (type === 'ImportDeclaration') for (const one of specifiers) importName(file, one, source.value)
      else if (type === 'ExportNamedDeclaration' && declaration === null)
        for (const one of specifiers) exportName(file, one, { from: source?.value, kind: exportKind })
      else nodes.push({ statement, node: type === 'ExportNamedDeclaration' ? declaration : statement })
    }
    for (const { statement, node } of nodes) {
      const { name } = identifierOf(node)
      file.declared.set(name, [...(file.declared.get(name) ?? []), { statement, node }])
      if (statement !== node) file.exports.set(name, { local: name, isType: false })
    }
    // Only now are all declarations of this file known.
    for (const [name, all] of file.declared)
      file.declared.set(
        name,
        all.map(({ statement, node }) => ({
          node,
          text,
          comment: commentBefore(statement, text),
          ...this.#namesIn(file, node),
        })),
      )
  }

  /** The references of a declaration, which are looked up on demand, and the names that it takes from the language. */
  #namesIn(file, node) {
    const mentions = mentionsIn(node)
    const own = parametersIn(node)
    const isOurs = ({ name }) => file.declared.has(name) || file.imported.has(name)
    const shadowed = mentions.find((mention) => own.has(mention.name) && isOurs(mention))
    if (shadowed)
      throw new Error(`${file.path}: the type parameter ${shadowed.name} has the name of something else`)
    const free = mentions
      .filter((mention) => mention.from === undefined && !isOurs(mention))
      .map(({ name }) => name)
    const others = mentions.filter(
      (mention) => mention.from?.startsWith('.') || (!mention.from && isOurs(mention)),
    )
    const files = this
    return {
      free: new Set(free),
      get references() {
        return others.map(({ start, end, from, name }) => ({
          start,
          end,
          binding:
            from === undefined ? files.#lookUp(file.path, name) : files.#follow(file.path, { from, name }),
        }))
      },
    }
  }
}

function importName(file, { type, imported, local }, from) {
  if (type === 'ImportNamespaceSpecifier') throw new Error(`${file.path} imports all of ${from}`)
  const name = type === 'ImportDefaultSpecifier' ? 'default' : imported.name
  file.imported.set(local.name, { from, name, local: local.name })
}

function exportName(file, { local, exported, exportKind }, { from, kind }) {
  const isType = exportKind === 'type' || kind === 'type'
  const target = from === undefined ? { local: local.name } : { from, name: local.name }
  file.exports.set(exported.name, { ...target, isType })
}

function identifierOf(node) {
  const identifier = node.type === 'VariableDeclaration' ? node.declarations[0].id : node.id
  if (identifier?.type !== 'Identifier' || node.declarations?.length > 1)
    throw new Error(`a ${node.type} that has not one name`)
  return identifier
}

function commentBefore(statement, text) {
  return /\/\*\*(?:(?!\*\/)[\s\S])*\*\/\s*$/.exec(text.slice(0, statement.start))?.[0] ?? ''
}

/** The fields of nodes with names of types or values. Any other identifier in a declaration is a key or a parameter. */
const holders = {
  TSTypeReference: 'typeName',
  TSTypeQuery: 'exprName',
  TSInterfaceHeritage: 'expression',
  TSClassImplements: 'expression',
  ClassDeclaration: 'superClass',
}

function mentionsIn(root) {
  const mentions = []
  walk(root, (node) => {
    if (node.type === 'TSImportType') mentions.push(importedMention(node))
    const held = node.computed === true ? node.key : node[holders[node.type]]
    const first = leftmost(held)
    if (first?.type === 'Identifier') mentions.push(first)
  })
  return mentions
}

/** `import("./tool.js").Tool` */
function importedMention({ source, qualifier, start }) {
  const first = leftmost(qualifier)
  if (first === undefined) throw new Error(`an import of all of ${source.value}`)
  return { from: source.value, name: first.name, start, end: first.end }
}

function leftmost(node) {
  if (node?.type === 'TSQualifiedName') return leftmost(node.left)
  return node?.type === 'MemberExpression' ? leftmost(node.object) : (node ?? undefined)
}

function parametersIn(root) {
  const names = new Set()
  walk(root, ({ type, name, key }) => {
    if (type === 'TSTypeParameter') names.add(name.name)
    if (type === 'TSMappedType') names.add(key.name)
  })
  return names
}

function walk(node, visit) {
  visit(node)
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value])
      if (typeof child?.type === 'string') walk(child, visit)
}
