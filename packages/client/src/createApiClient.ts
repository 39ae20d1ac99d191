import type { CallOptions, EachOptions } from './call/CallOptions.ts'
import type { Input } from './call/toRequest.ts'
import type { Api, Each } from './generated/api.ts'
import { operations } from './generated/operations.ts'
import { type Caller, createCaller, type RequestOptions, type Surroundings } from './request/createCaller.ts'
import { sleep } from './request/Deadline.ts'
import { eachRow } from './request/each.ts'
import { freshCaller, OwnWrites } from './request/freshCaller.ts'
import { readAnswerOf } from './request/readReply.ts'

/** Every operation of a service. */
export interface ApiClient extends Api {
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
 * Makes a client that only calls a service, and signs and sends nothing. Its code is about a fifth of what `createClient` takes, viem
 * included: it is for pages that show something before somebody signs. No request is made until a method is called.
 *
 * @example
 * import { createApiClient } from '@remit/client'
 *
 * const api = createApiClient({ url: 'https://remit.example', chainId: 8453 })
 * const { subscriptions } = await api.searchSubscriptions({ frequency: 1 })
 */
export function createApiClient(options: RequestOptions): ApiClient {
  return apiClientWith(new OwnWrites(), options)
}

/** The client, with a record of the blocks of transactions that others add to: the site's pages, which have several clients. */
export function apiClientWith(ownWrites: OwnWrites, options: RequestOptions): ApiClient {
  return apiOf(createCaller(options, SURROUNDINGS), ownWrites, options.chainId)
}

/** The clock and the randomness of every client. */
export const SURROUNDINGS: Surroundings = { now: Date.now, random: Math.random, sleep }

/**
 * A method for every operation, each of which calls `call`. Its answers include what this client's own transactions have changed: each call
 * asks for a block that is no older than theirs.
 * @param ownWrites the blocks of those transactions
 * @param chainId the chain of calls that name none
 */
export function apiOf(call: Caller, ownWrites: OwnWrites, chainId: number | undefined): ApiClient {
  const { api, each } = methods(freshCaller(call, ownWrites, chainId))
  return { ...api, each }
}

/**
 * The answer of an operation out of a reply that came in another way than by a call, such as inside a page. Throws
 * what the call would have thrown.
 *
 * @example
 * import { readAnswer } from '@remit/client'
 *
 * const response = await fetch(`https://remit.example/subscriptions/${id}`)
 * const reply = { status: response.status, body: await response.json() }
 * const { subscription } = readAnswer('getSubscription', reply)
 */
export function readAnswer<Name extends keyof Api>(
  name: Name,
  reply: { readonly status: number; readonly body: unknown },
): Awaited<ReturnType<Api[Name]>> {
  // Safe: the row that decodes it is generated from the same declaration as the type.
  return readAnswerOf(name, reply) as Awaited<ReturnType<Api[Name]>>
}

/** One method for each row of the generated table of operations. */
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
