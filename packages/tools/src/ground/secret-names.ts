/**
 * Whether files with this name usually hold passwords or keys. Their content is never copied for undo, which remembers
 * only its hash.
 */
export function isSecretName(name: string): boolean {
  const plain = withoutBackup(name)
  return secret.test(plain) && !example.test(plain)
}

/** The same for a path, because some programs keep their keys in files with ordinary names: `.ssh/work`. */
export function isSecretPath(path: string): boolean {
  const names = path.split('/')
  const name = names.pop() ?? ''
  return isSecretName(name) || (names.some((folder) => secretFolder.test(folder)) && !example.test(name))
}

const secret = new RegExp(
  [
    '\\.env(?:rc|[-._].+)?',
    '\\.flaskenv',
    '.+\\.env(?:[-._](?:local|dev|development|test|staging|prod|production))?',
    '.+\\.(?:pem|key|p8|p12|pfx|pkcs8|pkcs12|jks|keystore|keytab|kdbx?|ppk|asc|gpg|age|ovpn|tfvars|tfstate)(?:\\.(?:backup|json))?',
    'id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?(?:[-_.].+)?',
    '[._](?:netrc|npmrc|yarnrc\\.yml|pypirc|pgpass|my\\.cnf|mylogin\\.cnf|htpasswd|git-credentials|docker(?:cfg|configjson))',
    '\\.(?:s3cfg|boto|terraformrc|vault[-_](?:token|pass(?:word)?)|credentials|token)',
    '(?:credentials|secrets?|passwords?|service[-_]?account.*)(?:\\.(?:json|ya?ml|toml|ini|txt|csv|properties|env|xml))?',
    '\\.?(?:secrets?|credentials)\\..+',
    '(?:pgpass|passwords?)\\.conf|htpasswd|kubeconfig',
  ]
    .map((shape) => `^(?:${shape})$`)
    .join('|'),
  'i',
)

const secretFolder = /^\.(?:ssh|gnupg|aws|azure|kube|docker|password-store)$/i

const example = /\.(?:example|sample|template|dist|tpl|pub|schema|md|[cm]?[jt]sx?|py|rs|go|java|rb|php|css)$/i

/** An editor's copy of `.env` is called `.env~`, `.env.bak` or `.env.swp`; one of `id_rsa`, `.id_rsa.swp`. */
function withoutBackup(name: string): string {
  const [, own = name] = /^\.(\.?[^.].*)\.sw[a-p]$/i.exec(name) ?? []
  return own.replace(/(?:~|\.(?:bak|old|orig|save|sw[a-p]))$/i, '')
}
