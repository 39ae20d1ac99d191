import { signal } from '@preact/signals'
import { RemitError, type SignedTopUp, type Token } from '@remit/client'
import { type Address, zeroAddress } from 'viem'
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
  /** The day of the payment that it is for, and for those before it; `undefined` for all payments of some months. */
  readonly day: Day | undefined
}

/**
 * What a wallet lacks now for its payments in a token; `undefined` where it lacks nothing. Throws where nobody answers.
 * @param plan the plan whose next failing payment it is for; `undefined` for all payments of some months
 * @param through the last day (`2026-03-04`) of that payment: one that is due later is not asked for. Any day where it is `undefined`.
 */
export async function readLacking(
  account: Address,
  token: Address,
  plan: string | undefined,
  through: string | undefined,
): Promise<Lacking | undefined> {
  if (plan !== undefined) {
    const { charges, counts, wallet } = await promptApi.getAccountOutlook({ address: account, first: 100 })
    const held = wallet.tokens.find((one) => one.token.address.toLowerCase() === token.toLowerCase())
    const id = plan.toLowerCase()
    const charge = charges.find(({ subscriptionId, toAdd }) => subscriptionId === id && toAdd !== null)
    const missing = charge?.toAdd?.balance
    // Dates as they are written sort by time.
    const isAskedFor = charge !== undefined && (through === undefined || charge.day.date <= through)
    if (held && isAskedFor && missing?.amountRaw)
      return { account, token: held.token, ...missing, day: charge.day }
    // Where not all charges are listed, the plan's may stand behind them: then all that is missing is told.
    if (charge !== undefined || charges.length === counts.charges) return undefined
  }
  // Who will give it is not known yet, and changes nothing of what is missing.
  const asked = { account, token, from: zeroAddress, readinessOnly: true }
  const { details } = await promptApi.prepareTopUp(asked)
  if (!details?.token || !details.missing) throw new TypeError('The service said nothing of the wallet')
  const { amount, amountRaw } = details.missing
  return amountRaw === 0n ? undefined : { account, token: details.token, amount, amountRaw, day: undefined }
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
