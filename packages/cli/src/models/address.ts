/** An address without name and password, because these are credentials. */
export function withoutSecrets(address: string): string {
  const url = new URL(address)
  if (url.username !== '' || url.password !== '') {
    url.username = '***'
    url.password = ''
  }
  url.search = url.search === '' ? '' : '?***'
  return url.href
}
