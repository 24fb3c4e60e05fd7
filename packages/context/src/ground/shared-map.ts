/**
 * An immutable map: a change returns a new map that shares all but a few nodes with the old one. So a copy costs
 * nothing, and a change takes few steps even in a large map. It is a balanced tree (AVL), not a hash table, so no
 * choice of keys can make it slow.
 */
export class SharedMap<Value> {
  static readonly empty: SharedMap<never> = new SharedMap<never>(undefined, 0)
  readonly size: number
  readonly #root: Tree<Value>

  private constructor(root: Tree<Value>, size: number) {
    this.#root = root
    this.size = size
  }

  get(key: string): Value | undefined {
    let node = this.#root
    while (node !== undefined && node.key !== key) node = key < node.key ? node.left : node.right
    return node?.value
  }

  with(key: string, value: Value): SharedMap<Value> {
    const size = this.get(key) === undefined ? this.size + 1 : this.size
    return new SharedMap(insert(this.#root, key, value), size)
  }

  without(key: string): SharedMap<Value> {
    if (this.get(key) === undefined) return this
    return new SharedMap(remove(this.#root, key), this.size - 1)
  }

  /** Sorted by their keys. */
  values(): Value[] {
    const found: Value[] = []
    collect(this.#root, found)
    return found
  }
}

interface Entry<Value> {
  readonly key: string
  readonly value: Value
}

interface Node<Value> extends Entry<Value> {
  readonly left: Tree<Value>
  readonly right: Tree<Value>
  readonly height: number
}

type Tree<Value> = Node<Value> | undefined

function insert<Value>(tree: Tree<Value>, key: string, value: Value): Node<Value> {
  if (tree === undefined || tree.key === key) return join(tree?.left, { key, value }, tree?.right)
  return key < tree.key
    ? balanced(insert(tree.left, key, value), tree, tree.right)
    : balanced(tree.left, tree, insert(tree.right, key, value))
}

function remove<Value>(tree: Tree<Value>, key: string): Tree<Value> {
  if (tree === undefined) return undefined
  const { left, right } = tree
  if (key < tree.key) return balanced(remove(left, key), tree, right)
  if (key > tree.key) return balanced(left, tree, remove(right, key))
  if (left === undefined || right === undefined) return left ?? right
  const next = first(right)
  return balanced(left, next, remove(right, next.key))
}

/** Joins two trees whose heights differ by at most two. */
function balanced<Value>(left: Tree<Value>, entry: Entry<Value>, right: Tree<Value>): Node<Value> {
  if (left && left.height > heightOf(right) + 1) {
    const inner = left.right
    return inner && inner.height > heightOf(left.left)
      ? join(join(left.left, left, inner.left), inner, join(inner.right, entry, right))
      : join(left.left, left, join(inner, entry, right))
  }
  if (right && right.height > heightOf(left) + 1) {
    const inner = right.left
    return inner && inner.height > heightOf(right.right)
      ? join(join(left, entry, inner.left), inner, join(inner.right, right, right.right))
      : join(join(left, entry, inner), right, right.right)
  }
  return join(left, entry, right)
}

function join<Value>(left: Tree<Value>, { key, value }: Entry<Value>, right: Tree<Value>): Node<Value> {
  return { key, value, left, right, height: 1 + Math.max(heightOf(left), heightOf(right)) }
}

function heightOf<Value>(tree: Tree<Value>): number {
  return tree?.height ?? 0
}

function first<Value>(tree: Node<Value>): Node<Value> {
  let node = tree
  while (node.left) node = node.left
  return node
}

function collect<Value>(tree: Tree<Value>, found: Value[]): void {
  if (tree === undefined) return
  collect(tree.left, found)
  found.push(tree.value)
  collect(tree.right, found)
}
