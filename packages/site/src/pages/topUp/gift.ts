import { signal } from '@preact/signals'
import { RemitError, type SignedTopUp, type Token } from '@remit/client'
import type { Address } from 'viem'
import { promptApi } from '../../page/api.ts'
import { openSigning } from '../../wallet/openSigning.ts'
import type { ConnectedWallet } from '../../wallet/wallet.ts'
import type { Day } from '../../words/time.ts'

// Money for somebody else's subscriptions. It is sent, or only signed (EIP-3009) for somebody to carry: send it and pay the fee.

/** What somebody’s wallet lacks for its payments, in one token: as a decimal, and in the smallest unit. */
export interface Lacking {
  readonly account: Address
  readonly token: Token
  readonly amount: string
  readonly amountRaw: bigint
  /** The last day whose payments are counted. */
  readonly through: Day
}

/**
 * What a wallet lacks now for its payments in a token; `undefined` where it lacks nothing. Throws where nobody answers.
 * @param days how many days ahead; `undefined` for as many as the service looks ahead by itself
 */
export async function readLacking(
  account: Address,
  token: Address,
  days: number | undefined,
): Promise<Lacking | undefined> {
  const asked = { address: account, first: 1, ...(days === undefined ? {} : { days }) }
  const { wallet, through } = await promptApi.getAccountOutlook(asked)
  const held = wallet.tokens.find((one) => one.token.address.toLowerCase() === token.toLowerCase())
  if (held === undefined || held.toAdd.balance.amountRaw === 0n) return undefined
  const { amount, amountRaw } = held.toAdd.balance
  return { account, token: held.token, amount, amountRaw, through }
}

/** What carrying a gift does: as the connected wallet's node says, or without a wallet the service. Throws where it is void. */
export async function readGiven(signed: SignedTopUp, now: ConnectedWallet | undefined) {
  if (now !== undefined) {
    const { client } = await openSigning(now)
    return (await client.carryTopUp(signed).readiness(now.address)).details
  }
  const { value, ...rest } = signed
  const { details } = await promptApi.prepareCarryTopUp({
    ...rest,
    value: BigInt(value),
    from: signed.payer,
    readinessOnly: true,
  })
  if (details === undefined) throw new TypeError('The service said nothing of the gift')
  return details
}

export type Given = Awaited<ReturnType<typeof readGiven>>

/** A gift that is to be signed, and carried by somebody else; `undefined` while nobody has asked for it. */
export const toSign = signal<Lacking | undefined>(undefined)

/** By the flaw that the client or the service found. */
const FLAWS: Readonly<Record<string, string>> = {
  expired: 'It is too late: this gift could be carried until its end, and that has passed.',
  balance: 'Whoever signed this gift no longer holds so much.',
  refused: 'The token refuses this gift.',
  signature: 'This gift is not valid: the wallet that it is from has not signed just this.',
}

/** Why a gift cannot be carried, in a sentence; `undefined` for every other error. */
export function voidWords(error: unknown): string | undefined {
  if (!(error instanceof RemitError)) return undefined
  if (error.code === 'AUTHORIZATION_UNSUPPORTED') return 'Its token moves no money by a signature.'
  if (error.code === 'AUTHORIZATION_VOID') return FLAWS[String(error.facts.flaw)] ?? FLAWS.signature
  return error.status === 400 ? FLAWS.signature : undefined
}
