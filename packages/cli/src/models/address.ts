/** An address for people to read: a name and password in it let somebody in. */
export function withoutSecrets(address: string): string {
  const url = new URL(address)
  if (url.username !== '' || url.password !== '') {
    url.username = '***'
    url.password = ''
  }
  url.search = url.search === '' ? '' : '?***'
  return url.href
}
