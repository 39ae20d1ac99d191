import { type ApiClient, apiWith, SURROUNDINGS } from './createApiClient.ts'
import { createEvents, type Events } from './events/streamEvents.ts'
import type { RequestOptions } from './request/createCaller.ts'
import { OwnWrites } from './request/OwnWrites.ts'
import {
  type BudgetOptions,
  type ContractOptions,
  createFlows,
  type Flows,
} from './sending/flows/createFlows.ts'

/**
 * Where the service is, how it is called, and what is trusted when something is sent.
 *
 * Nothing that the service says moves a wallet: the chain is the one that a flow names (`chainId`), else this client's
 * `chainId`, else the one that the wallet is on; the contract is built in or pinned by `contracts`.
 */
export interface ClientOptions extends RequestOptions, ContractOptions, BudgetOptions {}

/** Every operation of a service, and what wallets can do with it. */
export interface Client extends ApiClient, Flows {
  /** Live events. */
  readonly events: Events
}

/**
 * Makes the client of one service. Nothing is sent until something is called.
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

/** The client that knows of these writes. */
export function clientWith(ownWrites: OwnWrites, options: ClientOptions): Client {
  const { contracts, trustServiceForContracts, chainId, budget } = options
  const api = apiWith(ownWrites, options)
  return {
    ...api,
    events: createEvents(options, SURROUNDINGS),
    ...createFlows(api, { contracts, trustServiceForContracts, chainId, ownWrites, budget }),
  }
}
