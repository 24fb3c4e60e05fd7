// A script in the page may replace what is taken later, and then call a listener with an event of its own making.
const { addEventListener } = EventTarget.prototype
const { apply } = Reflect
const trustOf = Object.getOwnPropertyDescriptor(new Event('click'), 'isTrusted')?.get

/** Adds a listener, which no other script receives. */
export function listen(target: EventTarget, name: string, act: (event: Event) => void): void {
  apply(addEventListener, target, [name, act])
}

/** Whether a person caused an event. An object that only looks like an event fails here. */
export function isByPerson(event: Event): boolean {
  try {
    return trustOf !== undefined && apply(trustOf, event, []) === true
  } catch {
    // It is not an event of the browser.
    return false
  }
}
