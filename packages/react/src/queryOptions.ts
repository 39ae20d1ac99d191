import type { CallOptions, Client } from '@remit/client'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'

/** Every operation that reads. */
export type RemitReadName = Extract<
  keyof Client,
  `get${string}` | `list${string}` | `search${string}` | `check${string}` | `simulate${string}`
>

/** What an operation takes. */
export type RemitInput<Name extends RemitReadName> = {
  [Each in RemitReadName]: NonNullable<Parameters<Client[Each]>[0]>
}[Name]

/** What an operation answers. */
export type RemitAnswer<Name extends RemitReadName> = {
  [Each in RemitReadName]: Awaited<ReturnType<Client[Each]>>
}[Name]

/** The part of a client that queries need: `createClient` makes it, and `createApiClient`. */
export type RemitReads = Pick<Client, RemitReadName>

export interface RemitScope {
  /**
   * Keeps the answers of one client apart from those of another in the same QueryClient. Hooks set it by themselves:
   * the first client of a QueryClient has none.
   */
  readonly scopeKey?: string | undefined
}

/** The root of all keys: `invalidateQueries({ queryKey: remitKey })` has everything read again. */
export const remitKey = ['remit'] as const

/** What an answer is kept under. It is plain JSON: bigints are texts, and fields without a value are left out. */
export function remitQueryKey<Name extends RemitReadName>(
  name: Name,
  input: RemitInput<Name>,
  { scopeKey }: RemitScope = {},
) {
  return [...remitKey, name, plain({ ...input, scopeKey })] as const
}

/** Any read of the client, for `useQuery`, `useSuspenseQuery` and `prefetchQuery`. */
export function remitQueryOptions<Name extends RemitReadName>(
  client: RemitReads,
  name: Name,
  input: RemitInput<Name>,
  scope?: RemitScope,
) {
  return queryOptions(readOf(client, name, input, scope))
}

/** One subscription: its terms, its state, its next due day. */
export function remitSubscriptionQueryOptions(
  client: RemitReads,
  input: RemitInput<'getSubscription'>,
  scope?: RemitScope,
) {
  return remitQueryOptions(client, 'getSubscription', input, scope)
}

/** What an account subscribes to and provides. */
export function remitAccountQueryOptions(
  client: RemitReads,
  input: RemitInput<'getAccount'>,
  scope?: RemitScope,
) {
  return remitQueryOptions(client, 'getAccount', input, scope)
}

/** What an account will be charged, and whether its money and its permission last. */
export function remitOutlookQueryOptions(
  client: RemitReads,
  input: RemitInput<'getAccountOutlook'>,
  scope?: RemitScope,
) {
  return remitQueryOptions(client, 'getAccountOutlook', input, scope)
}

/** Whether an account is entitled to what a subscription gives, and until when. */
export function remitMembershipQueryOptions(
  client: RemitReads,
  input: RemitInput<'getMembership'>,
  scope?: RemitScope,
) {
  return remitQueryOptions(client, 'getMembership', input, scope)
}

/** What a search takes: pages are asked for by their cursors. */
export type RemitSearchInput = Omit<RemitInput<'searchSubscriptions'>, 'after' | 'skip'>

/** The pages of a search, for `useInfiniteQuery`, `useSuspenseInfiniteQuery` and `prefetchInfiniteQuery`. */
export function remitSearchQueryOptions(client: RemitReads, input: RemitSearchInput, scope?: RemitScope) {
  return infiniteQueryOptions(searchOf(client, input, scope))
}

/** What a query of a read is made of. */
export function readOf<Name extends RemitReadName>(
  client: RemitReads,
  name: Name,
  input: RemitInput<Name>,
  scope?: RemitScope,
) {
  const reads: { [Each in RemitReadName]: Read<Each> } = client
  return {
    queryKey: remitQueryKey(name, input, scope),
    queryFn: ({ signal }: Asked) => reads[name](input, { signal }),
    // The client itself tries again where that is worth it, and as late as the service says.
    retry: false,
  }
}

/** What an infinite query of a search is made of. */
export function searchOf(client: RemitReads, input: RemitSearchInput, scope?: RemitScope) {
  return {
    // Pages are another kind of data than an answer, and so have a key of their own.
    queryKey: [...remitQueryKey('searchSubscriptions', input, scope), 'pages'] as const,
    queryFn: ({ signal, pageParam }: Asked & { readonly pageParam: string | undefined }) =>
      client.searchSubscriptions({ ...input, after: pageParam }, { signal }),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: ({ nextCursor }: RemitAnswer<'searchSubscriptions'>) => nextCursor,
    retry: false,
  }
}

/** What of TanStack's context a read needs. */
interface Asked {
  readonly signal: AbortSignal
}

type Read<Name extends RemitReadName> = (
  input: RemitInput<Name>,
  options?: CallOptions,
) => Promise<RemitAnswer<Name>>

const FIRST_PAGE: string | undefined = undefined

/** The input as plain JSON: bigints as texts. */
function plain(input: object): object {
  return JSON.parse(
    JSON.stringify(input, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)),
  )
}
