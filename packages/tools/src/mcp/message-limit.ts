/** The longest answer of a server, over any connection. */
export const longestMessage = 10 * 1024 * 1024

export const tooLong = `a message of more than ${longestMessage} bytes`
