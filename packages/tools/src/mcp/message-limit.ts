/** No answer of a server is longer than this, over whatever wire. */
export const longestMessage = 10 * 1024 * 1024

export const tooLong = `a message of more than ${longestMessage} bytes`
