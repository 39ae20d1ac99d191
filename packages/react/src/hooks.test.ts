import {
  type Client,
  createClient,
  type Event,
  type GetMembershipAnswer,
  type Progress,
  type SearchSubscriptionsAnswer,
  type Sent,
} from '@remit/client'
import { hookRenderer } from '@remit/testing/support/browser/hookRenderer'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createElement, type ReactNode } from 'react'
import { renderToString } from 'react-dom/server'
import { custom } from 'viem'
import { foundry } from 'viem/chains'
import { describe, expect, it, vi } from 'vitest'
import { createConfig, WagmiProvider } from 'wagmi'
import { connect } from 'wagmi/actions'
import { mock } from 'wagmi/connectors'
import {
  RemitProvider,
  remitMembershipQueryOptions,
  remitQueryKey,
  useRemitEvents,
  useRemitMembership,
  useRemitSearch,
  useSubscribeFlow,
} from './index.ts'

const render = hookRenderer()
const id = `0x${'01'.repeat(32)}` as const
const address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

/** A client without a service: everything but these parts throws. */
function clientOf(parts: Partial<Client>): Client {
  const fetch = () => Promise.reject(new Error('There is no service'))
  return { ...createClient({ url: 'https://remit.example', fetch, retries: 0 }), ...parts }
}

/** The field that a test looks at. */
function member(entitled: boolean): GetMembershipAnswer {
  return { entitled } as Partial<GetMembershipAnswer> as GetMembershipAnswer
}

const around = (client: Client, queryClient: QueryClient) => (child: ReactNode) =>
  createElement(QueryClientProvider, { client: queryClient }, createElement(RemitProvider, { client }, child))

describe('a read', () => {
  it('asks nothing before all that it needs is known', async () => {
    const getMembership = vi.fn(async () => member(true))
    const within = around(clientOf({ getMembership }), new QueryClient())
    const hook = await render(() => useRemitMembership({ id, address: undefined }), within)
    expect(hook.now()).toMatchObject({ status: 'pending', fetchStatus: 'idle' })
    expect(getMembership).not.toHaveBeenCalled()
  })

  it('gives what is selected of the client’s answer, and ends the call with the component', async () => {
    const signals: (AbortSignal | undefined)[] = []
    const getMembership: Client['getMembership'] = async (_, options) => {
      signals.push(options?.signal)
      return member(true)
    }
    const within = around(clientOf({ getMembership }), new QueryClient())
    const query = { select: ({ entitled }: GetMembershipAnswer) => entitled }
    const hook = await render(() => useRemitMembership({ id, address, query }), within)
    await expect.poll(() => hook.now().data).toBe(true)
    expect(signals).toEqual([expect.any(AbortSignal)])
  })

  it('leaves trying again to the client, whatever the app does with its other queries', async () => {
    const getMembership = vi.fn(() => Promise.reject(new Error('The service is away')))
    const queryClient = new QueryClient({ defaultOptions: { queries: { retry: 3, retryDelay: 1 } } })
    const hook = await render(
      () => useRemitMembership({ id, address }),
      around(clientOf({ getMembership }), queryClient),
    )
    await expect.poll(() => hook.now().error?.message).toBe('The service is away')
    expect(getMembership).toHaveBeenCalledTimes(1)
  })

  it('never shows one client’s answer as another’s', async () => {
    const queryClient = new QueryClient()
    for (const entitled of [true, false]) {
      const client = clientOf({ getMembership: async () => member(entitled) })
      const hook = await render(() => useRemitMembership({ id, address }), around(client, queryClient))
      expect(hook.now().data).toBe(undefined)
      await expect.poll(() => hook.now().data?.entitled).toBe(entitled)
    }
  })

  it('is rendered on a server with what was prefetched there, and found again by its key', async () => {
    const client = clientOf({ getMembership: async () => member(true) })
    const queryClient = new QueryClient()
    await queryClient.prefetchQuery(remitMembershipQueryOptions(client, { id, address }))
    expect('window' in globalThis).toBe(false)
    expect(renderToString(around(client, queryClient)(createElement(Door)))).toBe('<p>a member</p>')
  })

  it('has a key that is plain JSON, also for bigints', () => {
    // No operation takes one today; a client over a node may.
    const input = { id, address, minBlock: 12n, chainId: undefined } as unknown as {
      id: typeof id
      address: typeof address
    }
    const key = remitQueryKey('getMembership', input)
    expect(key).toEqual(['remit', 'getMembership', { id, address, minBlock: '12' }])
    expect(JSON.parse(JSON.stringify(key))).toEqual(key)
  })
})

it('a search goes on by the cursor of the page before, until there is none', async () => {
  const cursors: unknown[] = []
  const searchSubscriptions: Client['searchSubscriptions'] = async ({ after } = {}) => {
    cursors.push(after)
    const page: Partial<SearchSubscriptionsAnswer> = { nextCursor: after === undefined ? 'second' : null }
    return page as SearchSubscriptionsAnswer
  }
  const within = around(clientOf({ searchSubscriptions }), new QueryClient())
  const hook = await render(() => useRemitSearch({ q: 'coffee' }), within)
  await expect.poll(() => hook.now().hasNextPage).toBe(true)
  await hook.now().fetchNextPage()
  await expect.poll(() => hook.now().data?.pages.length).toBe(2)
  expect([cursors, hook.now().hasNextPage]).toEqual([[undefined, 'second'], false])
})

describe('events', () => {
  it('come over one connection, which ends with the component', async () => {
    const heard: Event[] = []
    const signals: AbortSignal[] = []
    const event: Partial<Event> = { sequence: 7 }
    async function* stream(_: unknown, { signal }: { signal?: AbortSignal | undefined } = {}) {
      if (signal === undefined) throw new Error('A stream without an end')
      signals.push(signal)
      yield event as Event
      await new Promise((end) => signal.addEventListener('abort', end))
    }
    const client = clientOf({ events: { stream } })
    const within = around(client, new QueryClient())
    const hook = await render(
      () => useRemitEvents({ account: address, onEvent: (one) => heard.push(one) }),
      within,
    )
    await expect.poll(() => heard).toEqual([event])
    hook.leave()
    await expect.poll(() => signals.map(({ aborted }) => aborted)).toEqual([true])
  })

  it('say what has ended them', async () => {
    const revoked = new Error('The key was revoked')
    // biome-ignore lint/correctness/useYield: it ends before anything comes.
    async function* stream(): AsyncGenerator<Event> {
      throw revoked
    }
    const within = around(clientOf({ events: { stream } }), new QueryClient())
    const hook = await render(() => useRemitEvents({ onEvent() {} }), within)
    await expect.poll(() => hook.now().error).toBe(revoked)
  })
})

describe('a flow', () => {
  const sent: Sent = {
    kind: 'sent',
    step: 1,
    of: 1,
    functions: ['subscribe'],
    hash: id,
    callsId: null,
    from: address,
    calls: [],
    sentAfter: 1,
  }

  /** A client whose subscribe is this, and a wallet that is connected. */
  async function flowOver(send: ReturnType<Client['subscribe']>['send'], parts: Partial<Client> = {}) {
    const subscribe: Client['subscribe'] = (request) => ({ ...real.subscribe(request), send, ...follows })
    const follow = vi.fn(async () => undefined)
    const follows = { follow }
    const real = clientOf({})
    const config = createConfig({
      chains: [foundry],
      connectors: [mock({ accounts: [address] })],
      transports: { [foundry.id]: custom({ request: async () => '0x7a69' }) },
      storage: null,
      multiInjectedProviderDiscovery: false,
    })
    const [connector] = config.connectors
    if (connector === undefined) throw new Error('There is no wallet')
    // The app tries mutations again, as an app may.
    const queryClient = new QueryClient({ defaultOptions: { mutations: { retry: 3, retryDelay: 1 } } })
    const within = around(clientOf({ subscribe, ...parts }), queryClient)
    const hook = await render(
      () => useSubscribeFlow(),
      (child) => createElement(WagmiProvider, { config, reconnectOnMount: false }, within(child)),
    )
    return { hook, follow, queryClient, connect: () => connect(config, { connector }) }
  }

  it('goes through its phases, and has what the wallet has sent', async () => {
    const go = new Map<string, () => void>()
    const { hook, connect } = await flowOver(async (wallet, { onProgress } = {}) => {
      expect(wallet.account?.address).toBe(address)
      for (const kind of ['checked', 'signing', 'sent', 'mined', 'ended'] as const) {
        await new Promise<void>((resolve) => go.set(kind, resolve))
        const step = { step: 1, of: 1, functions: ['subscribe'] }
        const progress: Record<string, Progress> = {
          checked: { kind: 'checked', ...step },
          signing: { kind: 'signing', ...step },
          sent,
          mined: { kind: 'mined', ...step, hash: id, blockNumber: 2 },
        }
        const one = progress[kind]
        if (one !== undefined) onProgress?.(one)
      }
      const none = { amount: '0', amountRaw: 0n, tokenDecimals: 6 }
      return {
        subscriptionId: id,
        firstCharge: { toFeeBalance: none, toProvider: none },
        transactions: [],
        events: [],
        status: 'success',
        chainId: foundry.id,
        callsId: null,
      }
    })
    await connect()
    expect(hook.now().phase).toBe('idle')
    hook.now().mutate({ id })
    await expect.poll(() => hook.now().phase).toBe('preparing')
    for (const kind of ['checked', 'signing', 'sent', 'mined'] as const) {
      await expect.poll(() => go.get(kind)).toBeDefined()
      go.get(kind)?.()
      await expect.poll(() => hook.now().phase).toBe(kind)
    }
    expect(hook.now().sent).toEqual([sent])
    await expect.poll(() => go.get('ended')).toBeDefined()
    go.get('ended')?.()
    await expect.poll(() => hook.now().phase).toBe('done')
    expect(hook.now().data?.subscriptionId).toBe(id)
    hook.now().reset()
    await expect.poll(() => hook.now().phase).toBe('idle')
    expect(hook.now().sent).toEqual([])
  })

  it('is never signed a second time by itself, and has everything read again where something was sent', async () => {
    const send = vi.fn(async (_: unknown, { onProgress }: { onProgress?: (one: Progress) => void } = {}) => {
      onProgress?.(sent)
      throw new Error('It may still be mined')
    })
    const { hook, queryClient, connect } = await flowOver(send as never)
    await connect()
    const again = vi.spyOn(queryClient, 'invalidateQueries')
    hook.now().mutate({ id })
    await expect
      .poll(() => [hook.now().phase, hook.now().error?.message])
      .toEqual(['failed', 'It may still be mined'])
    expect(send).toHaveBeenCalledTimes(1)
    expect(again).toHaveBeenCalledWith({ queryKey: ['remit'] })
    expect(hook.now().sent).toEqual([sent])
  })

  it('waits for what was sent before, and sends only what that leaves', async () => {
    const send = vi.fn(() => Promise.reject(new Error('The wallet is asked for the rest')))
    const { hook, follow, connect } = await flowOver(send)
    await connect()
    hook.now().mutate({ id, resume: sent })
    await expect.poll(() => hook.now().error?.message).toBe('The wallet is asked for the rest')
    expect(follow).toHaveBeenCalledWith(expect.anything(), sent, expect.anything())
  })

  it('fails with wagmi’s own error while no wallet is connected, and reads nothing again', async () => {
    const { hook, queryClient } = await flowOver(() => Promise.reject(new Error('unreachable')))
    const again = vi.spyOn(queryClient, 'invalidateQueries')
    hook.now().mutate({ id })
    await expect.poll(() => hook.now().error?.name).toBe('ConnectorNotConnectedError')
    expect(again).not.toHaveBeenCalled()
    await expect(hook.now().prepare({ id })).rejects.toThrow('Connector not connected')
  })
})

it('a hook says which provider is missing', () => {
  const page = createElement(QueryClientProvider, { client: new QueryClient() }, createElement(Door))
  expect(() => renderToString(page)).toThrow('There is no RemitProvider around this component.')
})

function Door() {
  const { data } = useRemitMembership({ id, address })
  return createElement('p', null, data?.entitled === true ? 'a member' : 'nobody')
}
