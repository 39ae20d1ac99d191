import { signal } from '@preact/signals'
import type { SignedPermit, Token } from '@remit/client'
import { chainNow } from '../../../page/live.ts'
import { pageData } from '../../../page/pageData.ts'
import { recall, remember } from '../../../page/stored.ts'

/** A permission that this browser has seen signed, and that nobody has carried yet. Without the signature: that stays in its link. */
export interface WaitingPermission {
  /** What it allows in all, in the token's smallest unit. */
  readonly raw: bigint
  readonly until: Date
}

/** Whoever shows one is told when another is signed. */
const signings = signal(0)

function keyOf(owner: string, token: string): string {
  return `remit:signed-permission:${pageData.chain?.chainId}:${owner}:${token}`.toLowerCase()
}

/** What a signature allows. DAI's own form names no amount: it allows everything, or nothing. */
export function signedRaw({ value, allowed }: SignedPermit): bigint {
  if (value !== undefined) return BigInt(value)
  return allowed === false ? 0n : 2n ** 256n - 1n
}

/**
 * Keeps that it was signed.
 * @param before what is allowed until it is carried, in the token's smallest unit
 */
export function noteSigned(signed: SignedPermit, before: bigint): void {
  const { owner, token, deadline } = signed
  remember(keyOf(owner, token), `${signedRaw(signed)} ${before} ${deadline}`)
  signings.value += 1
}

/**
 * What waits to be carried for a wallet. Until it is, what is allowed only becomes less.
 * @param allowanceRaw what is allowed now, in the token's smallest unit
 */
export function waitingFor(
  owner: string,
  { address }: Pick<Token, 'address'>,
  allowanceRaw: bigint,
): WaitingPermission | undefined {
  const known = signings.value >= 0 ? recall(keyOf(owner, address)) : undefined
  const [, said = '0', before = '0', deadline = '0'] = /^(\d+) (\d+) (\d+)$/.exec(known ?? '') ?? []
  const until = new Date(Number(deadline) * 1000)
  const raw = BigInt(said)
  const isCarried = raw > BigInt(before) ? allowanceRaw > BigInt(before) : allowanceRaw <= raw
  // Deadlines go by the chain's clock.
  const now = chainNow.value?.block?.timestamp ?? Date.now() / 1000
  return isCarried || Number(deadline) < now ? undefined : { raw, until }
}
