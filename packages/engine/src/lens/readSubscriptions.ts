import type { SubscriptionTerms } from '@remit/protocol/subscription'
import { type Address, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { SubscriptionNotFoundError } from '../errors/chain.ts'
import type { ProtocolSettings, Subscriber, SubscriptionState, TokenFacts } from '../ports/chainReads.ts'
import { type Lens, lensAbi } from './lens.ts'
import { existingTerms, protocolSettings, TokenMap, toCount } from './lensRows.ts'

/** The protocol's settings. */
export async function readSettings({ ask, protocol }: Lens): Promise<ProtocolSettings> {
  const question = encodeFunctionData({ abi: lensAbi, functionName: 'protocolSettings', args: [protocol] })
  return ask(question, (data) => {
    const [, settings] = decodeFunctionResult({ abi: lensAbi, functionName: 'protocolSettings', data })
    return protocolSettings(settings)
  })
}

/** One subscription's terms and token. Throws SubscriptionNotFoundError. */
export async function readSubscription(lens: Lens, id: Hex): Promise<SubscriptionState> {
  const call = { abi: lensAbi, functionName: 'subscription' } as const
  const question = encodeFunctionData({ ...call, args: [lens.protocol, id] })
  const state = await lens.ask(question, (data) => {
    const [, termsStruct, tokens, nextUncheckedDay] = decodeFunctionResult({ ...call, data })
    const found = withToken(termsStruct, tokens)
    return found && { ...found, nextUncheckedDay: toCount(nextUncheckedDay) }
  })
  return existing(lens, id, state)
}

/** One subscription and all its subscribers. */
export interface SubscribersState {
  readonly terms: SubscriptionTerms
  readonly token: TokenFacts
  readonly subscribers: readonly Subscriber[]
}

/** All subscribers, in the contract's order. Throws SubscriptionNotFoundError. */
export async function readSubscribers(lens: Lens, id: Hex): Promise<SubscribersState> {
  const call = { abi: lensAbi, functionName: 'subscribers' } as const
  const question = encodeFunctionData({ ...call, args: [lens.protocol, id] })
  const decode = (data: Hex) => {
    const [, termsStruct, tokens, subscribers] = decodeFunctionResult({ ...call, data })
    const found = withToken(termsStruct, tokens)
    return found && { ...found, subscribers }
  }
  const state = await lens.ask(question, decode, { unboundedView: 'getSubscribersById' })
  return existing(lens, id, state)
}

interface FeeBalanceState {
  readonly terms: SubscriptionTerms
  readonly token: TokenFacts
  readonly feeBalance: bigint
}

/** One subscriber's fee balance. Throws SubscriptionNotFoundError. */
export async function readFeeBalance(lens: Lens, id: Hex, subscriber: Address): Promise<FeeBalanceState> {
  const call = { abi: lensAbi, functionName: 'feeBalance' } as const
  const question = encodeFunctionData({ ...call, args: [lens.protocol, id, subscriber] })
  const state = await lens.ask(question, (data) => {
    const [, termsStruct, tokens, feeBalance] = decodeFunctionResult({ ...call, data })
    const found = withToken(termsStruct, tokens)
    return found && { ...found, feeBalance }
  })
  return existing(lens, id, state)
}

/** The terms with their token; `undefined` where the contract does not know the id. */
function withToken(
  termsStruct: Parameters<typeof existingTerms>[0],
  tokens: ConstructorParameters<typeof TokenMap>[0],
): { terms: SubscriptionTerms; token: TokenFacts } | undefined {
  const terms = existingTerms(termsStruct)
  return terms && { terms, token: new TokenMap(tokens).get(terms.token) }
}

/** Throws SubscriptionNotFoundError where there is no state. */
function existing<State>(lens: Lens, id: Hex, state: State | undefined): State {
  if (state === undefined) throw new SubscriptionNotFoundError(id, lens.chainId)
  return state
}
