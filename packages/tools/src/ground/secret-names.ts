/**
 * Whether files with this name usually hold passwords or keys. Their content is never copied for undo, which remembers
 * only its hash.
 */
export function isSecretName(name: string): boolean {
  const end = endOf(name)
  // Most files are code. This comes first because it is asked for each file of a workspace.
  if (ordinaryEnds.has(end)) return false
  const own = withoutBackup(name)
  return own === name ? secretEnds.has(end) || secret.test(name) : isSecretName(own)
}

/** The same for a path, because some programs keep their keys in files with ordinary names: `.ssh/work`. */
export function isSecretPath(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return isSecretName(name) || (secretFolder.test(path) && !ordinaryEnds.has(endOf(name)))
}

/** Code, examples and public keys. */
const ordinaryEnds = new Set(
  'example sample template dist tpl pub schema md js cjs mjs jsx ts cts mts tsx py rs go java rb php css'.split(
    ' ',
  ),
)

const secretEnds = new Set(
  'pem key p8 p12 pfx pkcs8 pkcs12 jks keystore keytab kdb kdbx ppk asc gpg age ovpn tfvars tfstate env'.split(
    ' ',
  ),
)

const secret = new RegExp(
  [
    '\\.env(?:rc|[-._].+)?',
    '\\.flaskenv',
    'id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?(?:[-_.].+)?',
    '[._](?:netrc|npmrc|yarnrc\\.yml|pypirc|pgpass|my\\.cnf|mylogin\\.cnf|htpasswd|git-credentials|docker(?:cfg|configjson))',
    '\\.(?:s3cfg|boto|terraformrc|vault[-_](?:token|pass(?:word)?)|credentials|token)',
    '(?:credentials|secrets?|passwords?|service[-_]?account.*)(?:\\.(?:json|ya?ml|toml|ini|txt|csv|properties|xml))?',
    '\\.?(?:secrets?|credentials)\\..+',
    '(?:pgpass|passwords?)\\.conf|htpasswd|kubeconfig',
    '[^.]+\\.(?:env[-._](?:local|dev|development|test|staging|prod|production)|tfvars\\.json|tfstate\\.backup)',
  ]
    .map((shape) => `^(?:${shape})$`)
    .join('|'),
  'i',
)

const secretFolder = /(?:^|\/)\.(?:ssh|gnupg|aws|azure|kube|docker|password-store)\//i

/** An editor's copy of `.env` is called `.env~`, `.env.bak` or `.env.swp`; one of `id_rsa`, `.id_rsa.swp`. */
function withoutBackup(name: string): string {
  const [, own = name] = /^\.(\.?[^.].*)\.sw[a-p]$/i.exec(name) ?? []
  return own.replace(/(?:~|\.(?:bak|old|orig|save|sw[a-p]))$/i, '')
}

/** The part after the last dot, in lower case; empty if there is none. */
function endOf(name: string): string {
  const dot = name.lastIndexOf('.')
  return dot === -1 ? '' : name.slice(dot + 1).toLowerCase()
}
