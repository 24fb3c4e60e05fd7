import { expect, it } from 'vitest'
import { isSecretName } from '../../src/ground/secret-names.js'

it.each([
  '.env',
  '.env.local',
  '.env.production',
  '.envrc',
  'prod.env',
  'server.pem',
  'tls.KEY',
  'id_rsa',
  'id_ed25519',
  'id_ed25519_work',
  '.npmrc',
  '.netrc',
  'credentials',
  'credentials.json',
  'secrets.yml',
  'service-account-prod.json',
  'terraform.tfstate',
])('Z4 %s usually holds a secret', (name) => {
  expect(isSecretName(name)).toBe(true)
})

it.each([
  '.env.example',
  '.env.sample',
  'id_rsa.pub',
  'secrets.ts',
  'credentials.md',
  'env.ts',
  'environment.json',
  'keys.json',
  'monkey.txt',
  'secretary.txt',
])('Z4 %s is an ordinary file', (name) => {
  expect(isSecretName(name)).toBe(false)
})
