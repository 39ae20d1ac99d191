import { type ApiClient, apiOf, SURROUNDINGS } from './createApiClient.ts'
import { createEvents, type Events, withoutEvents } from './events/streamEvents.ts'
import { createWatch, type Watch, watchEvents } from './events/Watch.ts'
import type { NodeOptions } from './node/OwnNode.ts'
import { type OpenNode, openNode } from './node/openNode.ts'
import { checkedMembership, createVerify } from './proofs/createVerify.ts'
import type { Verify } from './proofs/Verify.ts'
import {
  type Attempt,
  type CallerOptions,
  type RequestOptions,
  serviceAttempt,
  tryingAgain,
} from './request/createCaller.ts'
import { OwnWrites } from './request/freshCaller.ts'
import type { ContractOptions } from './sending/check/findContract.ts'
import { type BudgetOptions, createFlows, type Flows } from './sending/flows/createFlows.ts'
import type { PermitOptions } from './sending/signed/SignedPermits.ts'

/** Answers come from a service, from one's own node, or from both. */
type Source =
  | (RequestOptions & Partial<NodeOptions>)
  | (NodeOptions & CallerOptions & { readonly url?: undefined })

/**
 * Who answers, how calls are made, and what is trusted when something is sent.
 *
 * Nothing that a service says moves a wallet: the chain is the one that a flow names (`chainId`), else this client's
 * `chainId`, else the one that the wallet is on; the contract is built in or pinned by `contracts`.
 */
export type ClientOptions = Source & ContractOptions & BudgetOptions & PermitOptions & VerifyOptions

interface VerifyOptions {
  /**
   * `state`: `getMembership` answers only what its proof shows against a block that the client's own node has, so a service that
   * lies about who is a member is caught (ProofRefusedError). It takes a `node`, and expensive units of the service. How long
   * somebody who left has paid for (`paidThrough`, `entitled`) stays the service's word.
   */
  readonly verify?: 'state' | undefined
}

/** Every operation of a service, and what wallets can do with it. */
export interface Client extends ApiClient, Flows {
  /** Live events. */
  readonly events: Events
  /** Live changes of one subscription or account, from the client's own node where it has one. */
  readonly watch: Watch
  /** What a service says, shown by proofs against the blocks of one's own node. */
  readonly verify: Verify
}

/**
 * Makes the client of one service, or of one's own node, or of both. Nothing is sent until something is called.
 *
 * Throws TypeError or RangeError for options that cannot be used; no secret is in the message.
 *
 * @example
 * import { createClient } from '@remit/client'
 *
 * const client = createClient({ url: 'https://remit.example', chainId: 8453 })
 * const { subscription } = await client.getSubscription({ id })
 * console.log(subscription.amount, subscription.token.symbol)
 */
export function createClient(options: ClientOptions): Client {
  return clientWith(new OwnWrites(), options)
}

/**
 * The client, with a record of the blocks of its own transactions that somebody else adds to as well: the keeper, which sends by itself,
 * or another client of the same page. Its calls ask for these blocks or later ones.
 */
export function clientWith(ownWrites: OwnWrites, options: ClientOptions): Client {
  const { contracts, trustServiceForContracts, chainId, budget, outstandingPermits } = options
  const { node } = options
  const own = node === undefined ? undefined : openNode({ ...options, node }, SURROUNDINGS)
  const events = options.url === undefined ? withoutEvents : createEvents(options, SURROUNDINGS)
  const caller = tryingAgain(attemptOf(options, own), options, SURROUNDINGS)
  const api = apiOf(caller, ownWrites, chainId)
  const verify = createVerify(api, options)
  return {
    ...api,
    ...(options.verify === 'state' ? { getMembership: checkedMembership(api, options) } : {}),
    events,
    verify,
    watch: createWatch(own?.watch ?? watchEvents(events)),
    ...createFlows(api, {
      contracts,
      trustServiceForContracts,
      chainId,
      ownWrites,
      budget,
      outstandingPermits,
    }),
  }
}

/** One try of a call: at the node for what it can answer, else at the service. */
function attemptOf(options: ClientOptions, own: OpenNode | undefined): Attempt {
  const atService = options.url === undefined ? undefined : serviceAttempt(options, SURROUNDINGS)
  if (own !== undefined) return own.attempt(atService)
  if (atService === undefined) throw new TypeError('createClient needs the url of a service, or a node')
  return atService
}
