import type { SignedPermit, Token } from '@remit/client'
import { keepRows, type SeenOf, seenRows } from '../signed/seenRows.ts'
import { signedRaw } from './signedRaw.ts'

/** A permission that this browser has seen signed (`Waiting.tsx` shows it). */
export interface SeenPermission {
  /** What it allows in all, in the token's smallest unit. */
  readonly raw: bigint
  /** Unix time in seconds. */
  readonly deadline: number
  /** The token takes it while this is the owner's next permit nonce: of several with the same nonce, one can be carried. */
  readonly nonce: bigint
}

const of = (account: string, token: string): SeenOf => ({ kind: 'permission', account, token })

/** Keeps that it was signed, before the earlier ones with the same nonce, which can be carried in its place. */
export function noteSigned(signed: SignedPermit, nonce: bigint): void {
  const { owner, token, deadline } = signed
  const raw = signedRaw(signed)
  const earlier = seenSigned(owner, { address: token }).filter(
    (one) => one.nonce === nonce && one.raw !== raw,
  )
  const rows = [{ raw, deadline, nonce }, ...earlier]
  keepRows(
    of(owner, token),
    rows.map((one) => [one.raw, BigInt(one.deadline), one.nonce]),
  )
}

/** What a wallet has signed in this browser, the newest first. Some may be carried by now, or expired. */
export function seenSigned(owner: string, { address }: Pick<Token, 'address'>): readonly SeenPermission[] {
  return seenRows(of(owner, address)).flatMap(([raw, deadline, nonce]) =>
    raw === undefined || deadline === undefined || nonce === undefined
      ? []
      : [{ raw, deadline: Number(deadline), nonce }],
  )
}
