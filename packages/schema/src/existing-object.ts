/**
 * Its constructor makes no object, so that a class adds its private fields to one that exists. A `WeakMap` from thousands
 * of objects would take longer than making them.
 */
export class ExistingObject {
  constructor(object: object) {
    // biome-ignore lint/correctness/noConstructorReturn: this is how a private field comes to another object
    return object
  }
}
