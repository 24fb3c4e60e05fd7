export function count(number: number, noun: string): string {
  return `${amount(number)} ${noun}${number === 1 ? '' : 's'}`
}

/** 12 345, with a space that every terminal has. */
export function amount(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ' ')
}
