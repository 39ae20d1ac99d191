import { signal } from '@preact/signals'
import type { GetAccountActivityAnswer, GetPaymentAnswer, Subscription } from '@remit/client'
import { rawToProtocol } from '@remit/protocol/amounts'
import { feeFill, splitToRaw } from '@remit/protocol/fees'
import type { Address } from 'viem'
import { api, promptApi } from '../../../page/api.ts'
import { endingOf } from '../../../plan/eventWords.ts'
import { placeOf } from '../../../plan/useReceipts.ts'
import { CLEANED_UP, type Ending, endingWords } from '../../../words/endings.ts'
import { FILLS_RESERVE } from '../../../words/money.ts'

// A wallet's history: the contract's events about it. They are read page by page, or as a whole, and made into payments and endings at the
// end of this file (`paymentsIn`). Events do not say everything: for some rows and for files, receipts are read too.

type Event = GetAccountActivityAnswer['events'][number]

/** Where a collecting reserve went when its subscription ended, and for which day that was. The contract's events do not say it: receipts do. */
type Reserve = Pick<GetPaymentAnswer['payment'], 'day' | 'toSubscriber' | 'toProvider'>

/** What has been read of a wallet's history: all of its plans at once, newest first. */
type History =
  | { readonly state: 'unread' | 'loading' }
  | { readonly state: 'failed'; readonly error: unknown }
  | KnownHistory

export interface KnownHistory {
  readonly state: 'there'
  readonly events: readonly Event[]
  /** By the place of the log that ended the subscription. */
  readonly reserves: ReadonlyMap<string, Reserve>
  /** The cursor of the earlier events; `null` where there are none. */
  readonly next: string | null
  readonly isReading: boolean
}

/** One payment of a plan, or its end. */
export interface PastPayment {
  /** `fill`: a later payment of which a part, or all, fills the collecting reserve. */
  readonly kind: 'first' | 'period' | 'fill' | Ending
  readonly at: Date
  /** What left the wallet, in the token's smallest unit; `undefined` at an ending, and where the token is not known. */
  readonly amountRaw: bigint | undefined
  /** At an ending: what went out of the collecting reserve, once its receipt is read. */
  readonly reserve: Reserve | undefined
  readonly plan: Subscription
  readonly transactionHash: Event['transactionHash']
  readonly logIndex: number
  /** Whether its block can no longer be replaced. */
  readonly finalized: boolean
}

/** What a payment or an ending is called, on the page and in the file. @param isOwn whether it is said to the subscriber */
export function paymentWords(kind: PastPayment['kind'], isOwn: boolean): string {
  if (kind === 'first') return 'First payment'
  if (kind === 'fill') return FILLS_RESERVE
  if (kind === 'cancelled') return CLEANED_UP
  return kind === 'period' ? 'Payment' : endingWords(kind, isOwn)
}

/** How many events a request brings. */
const PAGE = 100
/** The history that was read last, and the address that it is of. */
const history = signal<History>({ state: 'unread' })
let readFor: string | undefined

/** The history of this wallet, as far as it was read. */
export function historyOf(address: string): History {
  // The signal is read even for another address, so that the component is drawn again when its own history comes.
  const known = history.value
  return readFor === address ? known : { state: 'unread' }
}

/**
 * Reads the newest page of the wallet's history, or the one at a cursor. Does nothing where that is known or being read.
 * Never rejects: `historyOf` has the failure.
 */
export async function readHistory(address: Address, after?: string): Promise<void> {
  const before = historyOf(address)
  if (before.state === 'loading' || (before.state === 'there' && (after === undefined || before.isReading)))
    return
  readFor = address
  history.value = before.state === 'there' ? { ...before, isReading: true } : { state: 'loading' }
  try {
    const { events, nextCursor } = await promptApi.getAccountActivity({ address, first: PAGE, after })
    const reserves = await readReserves(events, address, promptApi)
    if (readFor !== address) return
    const known = before.state === 'there' ? before : { events: [], reserves: new Map() }
    history.value = {
      state: 'there',
      events: [...known.events, ...events],
      reserves: new Map([...known.reserves, ...reserves]),
      next: nextCursor,
      isReading: false,
    }
  } catch (error) {
    if (readFor === address) history.value = { state: 'failed', error }
  }
}

/**
 * Reads the wallet's whole history. A long one has many pages: a limit that is reached is waited for. Does nothing where the
 * history is known or being read. Never rejects.
 */
export async function readWholeHistory(address: Address): Promise<void> {
  const before = historyOf(address)
  if (before.state === 'loading') return
  if (before.state === 'there' && (before.next === null || before.isReading)) return
  readFor = address
  history.value = { state: 'loading' }
  try {
    const events = []
    for await (const event of api.each.getAccountActivity({ address, first: PAGE })) events.push(event)
    const reserves = await readReserves(events, address, api)
    if (readFor === address)
      history.value = { state: 'there', events, reserves, next: null, isReading: false }
  } catch (error) {
    if (readFor === address) history.value = { state: 'failed', error }
  }
}

/** What went out of the reserves of subscriptions that ended by these events: read from the receipts, one after the other. */
async function readReserves(
  events: readonly Event[],
  account: Address,
  reader: Pick<typeof api, 'getPayment'>,
): Promise<ReadonlyMap<string, Reserve>> {
  const reserves = new Map<string, Reserve>()
  for (const { eventName, subscriber, transactionHash: txHash, logIndex } of events) {
    if (eventName !== 'Unsubscribed' || !isSame(subscriber, account)) continue
    const { payment } = await reader.getPayment({ txHash, logIndex })
    reserves.set(placeOf({ transactionHash: txHash, logIndex }), payment)
  }
  return reserves
}

/** A payment, with all that its receipt says. */
export interface PaymentWithReceipt extends PastPayment {
  readonly receipt: GetPaymentAnswer['payment']
}

/** How many receipts are read at the same time. */
const AT_ONCE = 4

/**
 * Reads the receipt of each payment. A limit that is reached is waited for. Throws what the client throws.
 * @param onRead is told how many are read so far
 */
export async function withReceipts(
  payments: readonly PastPayment[],
  onRead: (count: number) => void,
): Promise<readonly PaymentWithReceipt[]> {
  const rows: PaymentWithReceipt[] = []
  for (let start = 0; start < payments.length; start += AT_ONCE) {
    const some = payments.slice(start, start + AT_ONCE).map(async (row) => {
      const { payment } = await api.getPayment({ txHash: row.transactionHash, logIndex: row.logIndex })
      return { ...row, receipt: payment }
    })
    rows.push(...(await Promise.all(some)))
    onRead(rows.length)
  }
  return rows
}

function isSame(one: string | null, other: string): boolean {
  return one?.toLowerCase() === other.toLowerCase()
}

/**
 * The payments of a wallet for these plans, and their endings, newest first. A payment logs one of two events:
 * `SubscriberPaid` with what was taken, or `FeeFilled` where it filled the collecting reserve. Then `ProviderPaid` has the
 * provider's part; what went into the reserve is the event's amount at the first payment, and later the whole price.
 */
export function paymentsIn(
  { events, reserves }: { events: readonly Event[]; reserves: ReadonlyMap<string, Reserve> },
  { plans, account }: { plans: readonly Subscription[]; account: string },
): PastPayment[] {
  const own = events.filter(({ subscriber }) => isSame(subscriber, account))
  const planOf = new Map(plans.map((plan) => [plan.id as string, plan]))
  return own.flatMap((event): PastPayment[] => {
    const { id, eventName, amountRaw, formattedTimestamp: at, transactionHash, logIndex, finalized } = event
    const plan = planOf.get(id ?? '')
    if (plan === undefined) return []
    const row = { at, plan, transactionHash, logIndex, finalized, reserve: undefined }
    const ending = endingOf(event, own)
    if (ending !== undefined) {
      return [{ ...row, kind: ending, amountRaw: undefined, reserve: reserves.get(placeOf(row)) }]
    }
    if (eventName !== 'SubscriberPaid' && eventName !== 'FeeFilled') return []
    const siblings = own.filter((one) => one.id === id && one.transactionHash === transactionHash)
    const kind = siblings.some((one) => one.eventName === 'Subscribed') ? 'first' : 'period'
    if (amountRaw === null || eventName === 'SubscriberPaid')
      return [{ ...row, kind, amountRaw: amountRaw ?? undefined }]
    const rest = siblings.find((one) => one.eventName === 'ProviderPaid')?.amountRaw ?? 0n
    return kind === 'first'
      ? [{ ...row, kind, amountRaw: amountRaw + rest }]
      : [{ ...row, kind: 'fill', amountRaw: fillOf(plan, amountRaw) + rest }]
  })
}

/**
 * What a later payment moves into the reserve that it fills: `FeeFilled` states the whole price, so the part is worked out by the
 * protocol's rule, rounded down as the contract rounds it.
 */
function fillOf({ frequency, tokenDecimals }: Subscription, periodRaw: bigint): bigint {
  const period = rawToProtocol(periodRaw, tokenDecimals)
  if (!period.ok) return periodRaw
  return splitToRaw(feeFill({ amount: period.amount, frequency }), tokenDecimals).toFeeBalance
}
