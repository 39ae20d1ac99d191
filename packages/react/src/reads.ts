'use client'
import {
  type InfiniteData,
  type UseInfiniteQueryOptions,
  type UseInfiniteQueryResult,
  type UseQueryOptions,
  type UseQueryResult,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query'
import {
  type RemitAnswer,
  type RemitInput,
  type RemitReadName,
  type RemitSearchInput,
  readOf,
  type remitQueryKey,
  searchOf,
} from './queryOptions.ts'
import { useProvided } from './RemitProvider.ts'

/**
 * What a read takes. Without a value for `Needed`, such as while no wallet is connected, nothing is asked. `query` has
 * what `useQuery` takes.
 */
export type RemitReadParameters<
  Name extends RemitReadName,
  Needed extends keyof RemitInput<Name>,
  Selected,
> = Omit<RemitInput<Name>, Needed> & { readonly [Field in Needed]: RemitInput<Name>[Field] | undefined } & {
  readonly query?:
    | Omit<
        UseQueryOptions<RemitAnswer<Name>, Error, Selected, Key<Name>>,
        'queryKey' | 'queryFn' | 'queryKeyHashFn'
      >
    | undefined
}

/** One subscription: its terms, its state, its next due day. */
export function useRemitSubscription<Selected = RemitAnswer<'getSubscription'>>(
  parameters: RemitReadParameters<'getSubscription', 'id', Selected>,
): UseQueryResult<Selected> {
  return useRead('getSubscription', parameters, ['id'])
}

/** What an account subscribes to and provides. */
export function useRemitAccount<Selected = RemitAnswer<'getAccount'>>(
  parameters: RemitReadParameters<'getAccount', 'address', Selected>,
): UseQueryResult<Selected> {
  return useRead('getAccount', parameters, ['address'])
}

/** What an account will be charged, and whether its money and its permission last. */
export function useRemitOutlook<Selected = RemitAnswer<'getAccountOutlook'>>(
  parameters: RemitReadParameters<'getAccountOutlook', 'address', Selected>,
): UseQueryResult<Selected> {
  return useRead('getAccountOutlook', parameters, ['address'])
}

/** Whether an account is entitled to what a subscription gives, and until when. */
export function useRemitMembership<Selected = RemitAnswer<'getMembership'>>(
  parameters: RemitReadParameters<'getMembership', 'id' | 'address', Selected>,
): UseQueryResult<Selected> {
  return useRead('getMembership', parameters, ['id', 'address'])
}

type Key<Name extends RemitReadName> = ReturnType<typeof remitQueryKey<Name>>
type SearchKey = readonly [...Key<'searchSubscriptions'>, 'pages']
type SearchPages = InfiniteData<RemitAnswer<'searchSubscriptions'>, string | undefined>

/** What a search takes. `query` has what `useInfiniteQuery` takes. */
export type RemitSearchParameters<Selected> = RemitSearchInput & {
  readonly query?:
    | Omit<
        UseInfiniteQueryOptions<
          RemitAnswer<'searchSubscriptions'>,
          Error,
          Selected,
          SearchKey,
          string | undefined
        >,
        'queryKey' | 'queryFn' | 'queryKeyHashFn' | 'initialPageParam' | 'getNextPageParam'
      >
    | undefined
}

/** Subscriptions by words, price, frequency, token or provider, page by page. */
export function useRemitSearch<Selected = SearchPages>({
  query,
  ...input
}: RemitSearchParameters<Selected> = {}): UseInfiniteQueryResult<Selected> {
  const { client, ...scope } = useProvided()
  return useInfiniteQuery({ ...searchOf(client, input, scope), ...query })
}

/** Any read of one answer. @param needed the fields without which nothing is asked */
function useRead<Name extends RemitReadName, Needed extends keyof RemitInput<Name>, Selected>(
  name: Name,
  { query, ...given }: RemitReadParameters<Name, Needed, Selected>,
  needed: readonly Needed[],
): UseQueryResult<Selected> {
  const { client, ...scope } = useProvided()
  // Safe: where a field is missing, the query is not enabled.
  const input = given as unknown as RemitInput<Name>
  const isWhole = needed.every((field) => input[field] !== undefined)
  return useQuery({
    ...readOf(client, name, input, scope),
    ...query,
    enabled: isWhole && (query?.enabled ?? true),
  })
}
