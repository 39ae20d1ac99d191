import { signal } from '@preact/signals'
import { RemitError, type SignedTopUp, type Token } from '@remit/client'
import { type Address, type Hex, zeroAddress } from 'viem'
import { promptApi } from '../../page/api.ts'
import { chainNow } from '../../page/live.ts'
import { keepRows, type SeenOf, seenRows } from '../../signed/seenRows.ts'
import { openSigning } from '../../wallet/openSigning.ts'
import type { ConnectedWallet } from '../../wallet/wallet.ts'
import { failingBefore } from '../../words/failing.ts'
import type { Day } from '../../words/time.ts'

// Money for somebody else's subscriptions. It is sent, or only signed (EIP-3009) for somebody to carry: send it and pay the fee.

/** What a link for a friend says. */
export interface FriendLink {
  readonly account: Address
  readonly token: Address
  /** The plan whose failing payment it is for; `undefined` for all payments of some months. */
  readonly plan: Hex | undefined
  /** The day of that payment (`2026-03-04`): one that is due later is not asked for. Any day where it is `undefined`. */
  readonly through: string | undefined
}

/** What somebody’s wallet lacks for its payments, in one token: as a decimal, and in the smallest unit. */
export interface Lacking {
  readonly account: Address
  readonly token: Token
  readonly amount: string
  readonly amountRaw: bigint
  /** The payment that it is for; `undefined` for all payments of some months. */
  readonly payment: FailingPayment | undefined
}

interface FailingPayment {
  readonly day: Day
  /** How many payments of other plans fail before it in this token: what is missing counts them too. */
  readonly others: number
  /** Before which day the money must be there: that of the first of them. */
  readonly by: Day
  readonly isByOver: boolean
  /** Whether the wallet’s permission is too small for it, too: no gift mends that. */
  readonly lacksPermission: boolean
}

/** What a link for a friend comes to: what is missing, or why nothing is to be given. */
export type Friend =
  | { readonly kind: 'lacks'; readonly lacking: Lacking }
  | { readonly kind: 'covered' | 'taken' | 'lacksPermission' }
  | { readonly kind: 'ended'; readonly at: Date }

/** How long a block is waited for that the service has not seen. */
const SEEN = { withinMs: 30_000 }

/** What the wallet of a link lacks, at this block or a later one. Throws where nobody answers. */
export async function readFriend(link: FriendLink, minBlock: number | undefined): Promise<Friend> {
  const { account, token, plan, through } = link
  if (plan !== undefined) {
    const outlook = await promptApi.getAccountOutlook({ address: account, first: 100, minBlock }, SEEN)
    const { charges, counts, wallet, today } = outlook
    const id = plan.toLowerCase()
    const charge = charges.find(({ subscriptionId, toAdd }) => subscriptionId === id && toAdd !== null)
    // The plan's own token, whatever the link says: anybody can have written that.
    const held = wallet.tokens.find((one) => one.token.address === charge?.token)
    const missing = charge?.toAdd?.balance
    // Dates as they are written sort by time.
    const isAskedFor = charge !== undefined && (through === undefined || charge.day.date <= through)
    if (held && isAskedFor && missing?.amountRaw) {
      const before = failingBefore(charge, outlook)
      const by = before[0]?.day ?? charge.day
      const isByOver = by.dayNumber <= today.dayNumber
      const lacksPermission = (charge.toAdd?.allowance.amountRaw ?? 0n) > 0n
      const payment = { day: charge.day, others: before.length, by, isByOver, lacksPermission }
      return { kind: 'lacks', lacking: { account, token: held.token, ...missing, payment } }
    }
    if (isAskedFor) return { kind: 'lacksPermission' }
    // Where not all charges are listed, the plan's may stand behind them: then all that is missing is told.
    if (charge !== undefined || charges.length === counts.charges)
      return readMember(account, plan, through, minBlock)
  }
  // Who will give it is not known yet, and changes nothing of what is missing.
  const asked = { account, token, from: zeroAddress, readinessOnly: true, minBlock }
  const { details } = await promptApi.prepareTopUp(asked, SEEN)
  if (!details?.token || !details.missing) throw new TypeError('The service said nothing of the wallet')
  const lacking = { account, token: details.token, ...details.missing, payment: undefined }
  return lacking.amountRaw === 0n ? { kind: 'covered' } : { kind: 'lacks', lacking }
}

/** Why nothing is missing for a plan's payment: it is covered, or was taken, or the subscription has ended. */
async function readMember(
  address: Address,
  id: Hex,
  through: string | undefined,
  minBlock: number | undefined,
): Promise<Friend> {
  const { state, since, paidThrough } = await promptApi.getMembership({ id, address, minBlock }, SEEN)
  if (state !== 'active') return { kind: 'ended', at: since.formattedTimestamp }
  const isTaken = through !== undefined && paidThrough !== null && paidThrough.date >= through
  return { kind: isTaken ? 'taken' : 'covered' }
}

const giftsFor = (account: string, token: string): SeenOf => ({ kind: 'gift', account, token })

/** Keeps in this browser that a gift was signed, so that nobody gives it twice unawares. */
export function noteGift({ account, token, value, validBefore }: SignedTopUp): void {
  const gifts = giftsFor(account, token)
  keepRows(gifts, [...seenRows(gifts), [BigInt(value), BigInt(validBefore)]])
}

/** What this browser has seen signed for a wallet that can be carried still, or was carried already: in the smallest unit, and until when. */
export function openGifts(account: Address, token: Address): { readonly raw: bigint; readonly until: Date } {
  const now = chainNow.value?.block?.timestamp ?? Date.now() / 1000
  const open = seenRows(giftsFor(account, token)).filter(([, until = 0n]) => until > now)
  return {
    raw: open.reduce((sum, [raw = 0n]) => sum + raw, 0n),
    until: new Date(Math.max(0, ...open.map(([, until = 0n]) => Number(until))) * 1000),
  }
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
