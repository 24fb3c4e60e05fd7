/**
 * Whether files with this name usually hold passwords or keys. Their content is never copied for undo, which remembers
 * only its hash.
 */
export function isSecretName(name: string): boolean {
  return secret.test(name) && !example.test(name)
}

const secret = new RegExp(
  [
    '\\.env(?:rc|\\..+)?',
    '.+\\.env(?:\\.local)?',
    '.+\\.(?:pem|key|p12|pfx|pkcs12|jks|keystore|kdbx|ppk|asc|gpg|age|ovpn|tfvars|tfstate)(?:\\.backup)?',
    'id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?(?:-.+|_.+)?',
    '\\.(?:netrc|npmrc|yarnrc\\.yml|pypirc|pgpass|my\\.cnf|htpasswd|git-credentials|dockercfg|s3cfg|boto|vault-token)',
    '_netrc',
    '(?:credentials|secrets?|service[-_]?account.*)(?:\\.(?:json|ya?ml|toml|ini|txt|properties|env))?',
    '\\.?(?:secrets?|credentials)\\..+',
    'kubeconfig',
  ]
    .map((shape) => `^(?:${shape})$`)
    .join('|'),
  'i',
)

const example = /\.(?:example|sample|template|dist|tpl|pub|schema|md|[cm]?[jt]sx?|py|rs|go|java|rb|php|css)$/i
