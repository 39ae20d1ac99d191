import type { CallOptions, EachOptions } from './call/CallOptions.ts'
import type { Input } from './call/toRequest.ts'
import type { Api, Each } from './generated/api.ts'
import { operations } from './generated/operations.ts'
import { type Caller, createCaller, type RequestOptions } from './request/createCaller.ts'
import { eachRow } from './request/each.ts'
import { freshCaller } from './request/freshCaller.ts'
import { OwnWrites } from './request/OwnWrites.ts'
import { sleep } from './request/sleep.ts'
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
export interface Client extends Api, Flows {
  /**
   * Every operation that pages, as an iterator over its rows.
   *
   * @example
   * for await (const { id, amount, token } of client.each.searchSubscriptions({ frequency: 1 })) {
   *   console.log(id, amount, token.symbol)
   * }
   */
  readonly each: Each
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
  const caller = createCaller(options, { now: Date.now, random: Math.random, sleep })
  const { api, each } = methods(freshCaller(caller, ownWrites, chainId))
  return {
    ...api,
    each,
    ...createFlows(api, { contracts, trustServiceForContracts, chainId, ownWrites, budget }),
  }
}

function methods(call: Caller): { api: Api; each: Each } {
  const rows = Object.entries(operations)
  const api = rows.map(([name]) => [
    name,
    (input?: Input, options?: CallOptions) => call(name, input, options),
  ])
  const each = rows.flatMap(([name, { rows: field }]) => {
    if (field === undefined) return []
    return [
      [
        name,
        (input?: Input, options?: EachOptions<unknown>) => eachRow(call, { name, field }, input, options),
      ],
    ]
  })
  // Safe: the table has the same source as the types, and every answer is decoded by its row.
  return { api: Object.fromEntries(api) as Api, each: Object.fromEntries(each) as Each }
}
