/**
 * Whether a file or folder with this name belongs to a session, wherever it lies: the session itself, what is stored
 * beside it, and what was set aside from it. Commands and reading tools must not see such files.
 */
export function isSessionName(name: string): boolean {
  return ofSession.test(name) || /\.(?:corrupt|lost|rescued)-\d{8}t\d{6,9}z$/i.test(name)
}

/** With the copies that editors make beside a file. */
const ofSession = /\.mtm(?:$|[~#]|\.(?:d|index|lock(?:\..*)?|bak-.*|(?:.*\.)?tmp|sw[a-p]|bak|orig|rej)$)/i
