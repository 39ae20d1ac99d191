import type { Address } from 'viem'
import { isSameHex } from '../../../request/isSameHex.ts'
import type { OwnCall } from '../../../sending/check/prepareHere.ts'
import type { Facts, Gain, KeeperChain, KeeperToken, PreparedRemit, RemitTransaction } from '../ports.ts'
import {
  cappedFees,
  describeWeighing,
  eth,
  factsOf,
  feeCeiling,
  type Prices,
  type Weighing,
  weighRemit,
} from './weighRemit.ts'

/** The limits that its owner sets for a keeper. */
export interface Bounds {
  readonly chainId: number
  /** remit() of the protocol's contract. */
  readonly call: OwnCall
  readonly prices: Prices
  readonly minProfitWei: bigint
  /** What one call may cost at most. */
  readonly maxFeeWei: bigint
}

/** The nonce that the next transaction takes. */
export interface NextNonce {
  readonly nonce: number
  /** Whether a transaction with this nonce is pending that the node does not show. */
  readonly isTaken: boolean
}

/** What the keeper does about a prepared remit. */
export type Decision =
  | { readonly kind: 'send'; readonly order: Order; readonly offer: Offer }
  /** This backlog has no profitable remit for now. */
  | { readonly kind: 'leave'; readonly event: string; readonly message: string; readonly facts: Facts }
  /** The wallet holds too little for the gas. */
  | { readonly kind: 'poor'; readonly balanceWei: bigint; readonly neededWei: bigint }
  /** It would revert now: somebody else may be first. */
  | { readonly kind: 'raced'; readonly reason: string | undefined }

/** A transaction that is to be sent. */
export interface Order extends RemitTransaction {
  /** The most that any version of it offers per gas: so it still pays, and stays within the cost limit. */
  readonly ceiling: bigint
  /** Whether it replaces a pending transaction with the same nonce. */
  readonly isReplacing: boolean
}

/** What a remit pays and costs, for the journal. */
export interface Offer {
  readonly described: string
  readonly facts: Facts
  /** Whether only the service says what it pays. */
  readonly isForecast: boolean
}

/**
 * Whether a remit is sent, and how: does it run, what does it pay, is that worth the gas, and can the wallet pay for that?
 *
 * Success, gas, gain and fees are those of the keeper's own node; of what the service prepared only the gain counts, and only where the
 * node cannot tell it and the owner trusts the service.
 */
export async function decideRemit(
  prepared: PreparedRemit,
  { nonce, isTaken }: NextNonce,
  bounds: Bounds,
  {
    chain,
    address,
    trustsForecast,
    onUnpriced,
  }: {
    readonly chain: KeeperChain
    readonly address: Address
    readonly trustsForecast: boolean
    /** Told of each token that is paid and has no price. */
    readonly onUnpriced: (token: KeeperToken) => void
  },
): Promise<Decision> {
  const { chainId, call, prices, minProfitWei, maxFeeWei } = bounds
  const tried = await chain.tryRemit()
  if (tried.kind === 'reverts') return { kind: 'raced', reason: tried.reason }
  const { gasLimit } = tried
  const isForecast = tried.gains === undefined
  if (isForecast && !trustsForecast) return NO_FORECAST
  const gains = tried.gains ?? (await forecastGains(prepared, address, prices, chain))

  const usual = await chain.fees()
  const transaction = { chainId, ...call, nonce, gas: gasLimit, fees: usual }
  const l1DataFeeWei = await chain.l1DataFee(transaction)
  const costWei = gasLimit * usual.nextFeePerGas + l1DataFeeWei
  const weighing = weighRemit({ gains, prices, costWei, minProfitWei })
  for (const token of weighing.unpriced) onUnpriced(token)
  const offer = offerOf(weighing, isForecast, prepared)
  if (!weighing.isWorthwhile) return leave('not_profitable', `Not worth it: ${offer.described}.`, offer.facts)
  if (costWei > maxFeeWei) {
    const message = `Too dear: a remit costs ${eth(costWei)} now, and --max-fee allows ${eth(maxFeeWei)}.`
    return leave('too_dear', message, { costWei, maxFeeWei })
  }

  const { valueWei } = weighing
  const ceiling = feeCeiling({ valueWei, minProfitWei, maxFeeWei, gasLimit, l1DataFeeWei })
  const fees = cappedFees(usual, ceiling)
  const neededWei = gasLimit * fees.maxFeePerGas + l1DataFeeWei
  const balanceWei = await chain.balance()
  if (balanceWei < neededWei) return { kind: 'poor', balanceWei, neededWei }
  return { kind: 'send', order: { ...transaction, fees, ceiling, isReplacing: isTaken }, offer }
}

const NO_FORECAST = leave(
  'no_forecast',
  'Your node has no eth_simulateV1, so only the service says what a remit pays: nothing is sent. Use a node that has it, or believe the service with --trust-forecast.',
)

function leave(event: string, message: string, facts: Facts = {}): Decision {
  return { kind: 'leave', event, message, facts }
}

function offerOf(weighing: Weighing, isForecast: boolean, { expectedTransactions }: PreparedRemit): Offer {
  const described = describeWeighing(weighing, { expectedTransactions, isForecast })
  return { described, facts: { ...factsOf(weighing), isForecast }, isForecast }
}

/** What the keeper's address gains of each priced token, as the service forecasts it. */
async function forecastGains(
  { changes }: PreparedRemit,
  address: Address,
  prices: Prices,
  chain: Pick<KeeperChain, 'token'>,
): Promise<Gain[]> {
  const amounts = new Map<string, { token: Address; amountRaw: bigint }>()
  for (const { account, token, amountRaw } of changes) {
    const key = token.toLowerCase()
    if (!isSameHex(account, address) || amountRaw <= 0n || !prices.has(key)) continue
    amounts.set(key, { token, amountRaw: amountRaw + (amounts.get(key)?.amountRaw ?? 0n) })
  }
  return Promise.all(
    [...amounts.values()].map(async ({ token, amountRaw }) => ({
      token: await chain.token(token),
      amountRaw,
    })),
  )
}
