import { randomUUID, sign } from 'node:crypto'
import type { IssuedPass, PassClaims, PassesPort, PassKey } from '../../core/ports/passes.ts'
import type { StoreAccess } from '../StoreAccess.ts'
import { PassKeys, type PassKeysOptions } from './PassKeys.ts'

export interface PassesOptions extends PassKeysOptions {
  readonly access: StoreAccess
  readonly graceDays: number
  /** Names the service in each pass. */
  readonly issuer: () => string
}

/** Issues passes: JWTs (RFC 7519) signed by EdDSA (RFC 8037). */
export class Passes implements PassesPort {
  readonly graceDays: number
  readonly #access: StoreAccess
  readonly #keys: PassKeys
  readonly #issuer: () => string
  readonly #now: () => number

  constructor({ access, graceDays, issuer, ...options }: PassesOptions) {
    this.#access = access
    this.graceDays = graceDays
    this.#issuer = issuer
    this.#now = options.now
    this.#keys = new PassKeys(options)
  }

  async issue(claims: PassClaims, mostSeconds: number): Promise<IssuedPass> {
    const { id, key } = await this.#access.ask(() => this.#keys.signing())
    const issuedAt = Math.floor(this.#now() / 1000)
    const expiresAt = Math.min(issuedAt + mostSeconds, claims.entitledThrough)
    const { audience, subscriber, chainId, contractAddress, subscriptionId, block, entitledThrough } = claims
    const body = {
      iss: this.#issuer(),
      sub: `eip155:${chainId}:${subscriber}`,
      aud: audience,
      iat: issuedAt,
      exp: expiresAt,
      jti: randomUUID(),
      chainId,
      contractAddress,
      subscriptionId,
      block,
      entitledThrough,
    }
    const signed = `${encode({ alg: 'EdDSA', typ: 'JWT', kid: id })}.${encode(body)}`
    const signature = sign(null, Buffer.from(signed), key).toString('base64url')
    return { pass: `${signed}.${signature}`, issuedAt, expiresAt }
  }

  async keys(): Promise<readonly PassKey[]> {
    return this.#access.ask(() => this.#keys.published())
  }
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
