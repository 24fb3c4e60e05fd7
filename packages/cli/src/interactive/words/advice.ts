/** Faults advise the flag, because `-p` has nothing else. A conversation has a command instead. */
export function adviceHere(text: string): string {
  return text.replaceAll('--model', '/model')
}
