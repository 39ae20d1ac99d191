import { signal } from '@preact/signals'
import type { SignedPermit, Token } from '@remit/client'
import { pageData } from '../page/pageData.ts'
import { recall, remember } from '../page/stored.ts'
import { signedRaw } from './signedRaw.ts'

/** A permission that this browser has seen signed (`Waiting.tsx` shows it). Its signature is not kept: only its link has it. */
export interface SeenPermission {
  /** What it allows in all, in the token's smallest unit. */
  readonly raw: bigint
  /** Unix time in seconds. */
  readonly deadline: number
  /** The token takes it while this is the owner's next permit nonce: of several with the same nonce, one can be carried. */
  readonly nonce: bigint
}

/** Changes when something is signed, so that what reads it in `seenSigned` is drawn again. */
const signings = signal(0)

function keyOf(owner: string, token: string): string {
  return `remit:signed-permission:${pageData.chain?.chainId}:${owner}:${token}`.toLowerCase()
}

/** Keeps that it was signed, before the earlier ones with the same nonce, which can be carried in its place. */
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

/** What a wallet has signed in this browser, the newest first. Some may be carried by now, or expired. */
export function seenSigned(owner: string, { address }: Pick<Token, 'address'>): readonly SeenPermission[] {
  const known = signings.value >= 0 ? recall(keyOf(owner, address)) : undefined
  return (known ?? '').split(',').flatMap((entry) => {
    const [, raw, deadline, nonce] = /^(\d+) (\d+) (\d+)$/.exec(entry) ?? []
    if (raw === undefined || deadline === undefined || nonce === undefined) return []
    return [{ raw: BigInt(raw), deadline: Number(deadline), nonce: BigInt(nonce) }]
  })
}
