import { signal } from '@preact/signals'
import type { SignedPermit, Token } from '@remit/client'
import { pageData } from '../page/pageData.ts'
import { recall, remember } from '../page/stored.ts'
import { signedRaw } from './signedRaw.ts'

/** A permission that this browser has seen signed. Without the signature: that stays in its link. */
export interface SeenPermission {
  /** What it allows in all, in the token's smallest unit. */
  readonly raw: bigint
  /** Unix time in seconds. */
  readonly deadline: number
  /** The token takes it as long as this is the owner's next number: of all that have it, one can be carried. */
  readonly nonce: bigint
}

/** Whoever shows one is told when another is signed. */
const signings = signal(0)

function keyOf(owner: string, token: string): string {
  return `remit:signed-permission:${pageData.chain?.chainId}:${owner}:${token}`.toLowerCase()
}

/** Keeps that it was signed, beside the earlier ones that can be carried in its place. */
export function noteSigned(signed: SignedPermit, nonce: bigint): void {
  const { owner, token, deadline } = signed
  const raw = signedRaw(signed)
  const earlier = seenSigned(owner, { address: token }).filter(
    (one) => one.nonce === nonce && one.raw !== raw,
  )
  const all = [{ raw, deadline, nonce }, ...earlier]
  remember(keyOf(owner, token), all.map((one) => `${one.raw} ${one.deadline} ${one.nonce}`).join(','))
  signings.value += 1
}

/** What a wallet has signed here, the newest first. It may be carried by now, or too late. */
export function seenSigned(owner: string, { address }: Pick<Token, 'address'>): readonly SeenPermission[] {
  const known = signings.value >= 0 ? recall(keyOf(owner, address)) : undefined
  return (known ?? '').split(',').flatMap((entry) => {
    const [, raw, deadline, nonce] = /^(\d+) (\d+) (\d+)$/.exec(entry) ?? []
    if (raw === undefined || deadline === undefined || nonce === undefined) return []
    return [{ raw: BigInt(raw), deadline: Number(deadline), nonce: BigInt(nonce) }]
  })
}
