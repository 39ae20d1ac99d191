import { SubscriptionsLens } from '@remit/contracts/SubscriptionsLens'
import { Frequency, tupleOf } from '@remit/testing/support/chain/protocolOn'
import { checkpointAt, useReadingGround } from '@remit/testing/support/chain/useReadingGround'
import { decodeFunctionResult, encodeFunctionResult, type Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import type { BacklogState } from '../ports/chainReads.ts'
import { NodeBytes } from '../rpc/quantity.ts'

const ground = await useReadingGround()
const { protocol, proxy, wallets, tokens, client } = ground
const { admin, provider, alice, bob, keeper } = wallets

const weekly = await protocol.create()
const otherWeekly = await protocol.create()
const monthly = await protocol.create({ token: tokens.dai, frequency: Frequency.MONTHLY, dueDay: 9 })
const yearly = await protocol.create({ frequency: Frequency.YEARLY, dueDay: 300 })
for (const subscription of [weekly, otherWeekly, monthly, yearly]) await protocol.join(subscription, alice)
await protocol.join(weekly, bob)
await ground.keep()

const read = () => ground.view(({ read }) => read.backlog(keeper))

/** Which subscriptions a backlog names, by list. */
function named({ lists }: BacklogState): Record<string, Hex[]> {
  return Object.fromEntries(
    lists.map(({ frequency, dueDay, entries }) => [
      `${frequency}:${dueDay}`,
      entries.map(({ terms }) => terms.id),
    ]),
  )
}

describe('a backlog', () => {
  it('of 400 days takes one request, each list and each wallet once', async () => {
    await ground.advanceDays(400)
    const state = await read()
    expect(proxy.requests).toBe(1)
    expect(state.settings.nextUncheckedDay).toBe(await protocol.read('nextUncheckedDay', []))
    expect(state.nativeBalance).toBe(await client.getBalance({ address: keeper }))
    expect(named(state)).toEqual({
      '0:3': [weekly.id, otherWeekly.id],
      '1:9': [monthly.id],
      '3:300': [yearly.id],
    })
    expect(state.wallets.map(({ account, token }) => [account, token])).toEqual([
      [alice, tokens.usdc],
      [bob, tokens.usdc],
      [alice, tokens.dai],
    ])
    for (const { account, token, balance } of state.wallets) {
      expect(balance).toBe(await protocol.balanceOf(token, account))
    }
    const [{ entries }] = state.lists.filter(({ frequency }) => frequency === 0) as [
      BacklogState['lists'][number],
    ]
    expect(entries[0]).toMatchObject({
      terms: weekly,
      token: { symbol: 'USDC' },
      subscribers: [
        { subscriber: alice, feeBalance: await protocol.feeBalance(weekly, alice) },
        { subscriber: bob, feeBalance: await protocol.feeBalance(weekly, bob) },
      ],
      unsubscribedCount: 0,
      setSize: 2,
      hiddenSubscribers: 0,
    })
  })

  it('ends with today, and begins with the first day that is not checked', async () => {
    // The contract begins two days before its own: on a Saturday. Today is Monday.
    expect(named(await read())).toEqual({})
    await ground.advanceDays(2)
    expect(named(await read())).toEqual({ '0:3': [weekly.id, otherWeekly.id] })
    while ((await protocol.reverts(keeper, 'remit', [])) === undefined)
      await protocol.send(keeper, 'remit', [])
    expect(named(await read())).toEqual({})
  })

  it('holds what remit walks over without charging', async () => {
    await ground.advanceDays(2)
    await protocol.send(provider, 'cancelSubscription', [tupleOf(otherWeekly.id)])
    await protocol.send(alice, 'unsubscribe', [tupleOf(otherWeekly.id)])
    await protocol.send(admin, 'pauseToken', [tokens.usdc, true])
    const [list] = (await read()).lists
    expect(list?.entries).toMatchObject([
      { terms: { cancelled: false }, token: { paused: true }, setSize: 2 },
      { terms: { cancelled: true }, subscribers: [], setSize: 0 },
    ])
  })

  it('counts the subscribers that the contract’s own view cannot list', async () => {
    await ground.advanceDays(2)
    await protocol.send(admin, 'setPageStart', [checkpointAt(weekly.id)])
    await protocol.send(alice, 'unsubscribe', [tupleOf(weekly.id)])
    const [list] = (await read()).lists
    expect(list?.entries).toMatchObject([
      { terms: { id: weekly.id }, subscribers: [], unsubscribedCount: 1, setSize: 2, hiddenSubscribers: 1 },
      { terms: { id: otherWeekly.id }, subscribers: [{ subscriber: alice }], hiddenSubscribers: 0 },
    ])
  })

  it('is not read where a node says that more accounts are hidden than a forecast can walk', async () => {
    await ground.advanceDays(2)
    const state = await ground.view(({ read }) => {
      proxy.fail({
        alter: (text) => text.replace(/(?<="result":")0x\w{300,}/, (data) => withSetSize(data, 2n ** 40n)),
      })
      return read.backlog(keeper)
    })
    expect(state).toMatchObject({ isRead: false, lists: [] })
  })
})

/** The lens's answer, with another size of each set of subscribers. */
function withSetSize(answer: string, setSize: bigint): Hex {
  const lens = { abi: SubscriptionsLens.abi, functionName: 'backlog' } as const
  const [stamp, page] = decodeFunctionResult({ ...lens, data: NodeBytes.parse(answer) })
  const entries = page.entries.map((entry) => ({ ...entry, setSize }))
  return encodeFunctionResult({ ...lens, result: [stamp, { ...page, entries }] })
}
