import { describe, expect, it } from 'vitest'
import { Frequency, tupleOf } from '../../../test/support/chain/protocolOn.ts'
import { checkpointAt, useReadingGround } from '../../../test/support/chain/useReadingGround.ts'

const ground = await useReadingGround()
const { protocol, wallets, tokens } = ground
const { admin, provider, alice, bob, carol, stranger } = wallets

const weekly = await protocol.create()
const monthly = await protocol.create({ token: tokens.dai, frequency: Frequency.MONTHLY, dueDay: 9 })
await protocol.join(weekly, alice)
await protocol.join(weekly, bob)
await protocol.join(monthly, alice)
await ground.keep()

describe('due lists', () => {
  const wednesday = [{ frequency: Frequency.WEEKLY, dueDay: 3 }]
  const dueIds = () =>
    ground.view(async ({ read }) => (await read.due(wednesday)).flatMap((list) => list.subscriptionIds))

  it('keep their order and name what a remit would charge', async () => {
    const second = await protocol.create()
    await protocol.join(second, carol)
    await ground.view(async ({ read }) => {
      expect(
        await read.due([...wednesday, { frequency: 1, dueDay: 9 }, { frequency: 3, dueDay: 1 }]),
      ).toEqual([
        { frequency: 0, dueDay: 3, subscriptionIds: [weekly.id, second.id] },
        { frequency: 1, dueDay: 9, subscriptionIds: [monthly.id] },
        { frequency: 3, dueDay: 1, subscriptionIds: [] },
      ])
    })
  })

  it('leave out what is cancelled', async () => {
    await protocol.send(provider, 'cancelSubscription', [tupleOf(weekly.id)])
    expect(await dueIds()).toEqual([])
  })

  it('leave out what is charged in a paused token', async () => {
    await protocol.send(admin, 'pauseToken', [tokens.usdc, true])
    expect(await dueIds()).toEqual([])
  })

  it('leave out what nobody subscribes to any more', async () => {
    for (const account of [alice, bob]) await protocol.send(account, 'unsubscribe', [tupleOf(weekly.id)])
    expect(await protocol.read('getIdByTime', [0n, 3])).toEqual([weekly.id])
    expect(await dueIds()).toEqual([])
  })

  it('leave out what has only listed subscribers', async () => {
    await protocol.send(admin, 'setPageStart', [checkpointAt(weekly.id)])
    for (const account of [alice, bob]) await protocol.send(account, 'unsubscribe', [tupleOf(weekly.id)])
    expect(await dueIds()).toEqual([])
  })

  it('count subscribers that the contract’s own view cannot list', async () => {
    await protocol.send(admin, 'setPageStart', [checkpointAt(weekly.id)])
    await protocol.send(alice, 'unsubscribe', [tupleOf(weekly.id)])
    expect(await protocol.reverts(alice, 'getSubscribersById', [weekly.id])).toBe('Panic(50)')
    expect(await dueIds()).toEqual([weekly.id])
  })

  it('leave out what makes remit panic', async () => {
    await protocol.send(admin, 'setPageStart', [checkpointAt(weekly.id)])
    for (const account of [carol, stranger, wallets.dave]) {
      await protocol.send(account, 'unsubscribe', [tupleOf(weekly.id)])
    }
    expect(await protocol.reverts(alice, 'getSubscribersById', [weekly.id])).toBe('Panic(17)')
    expect(await dueIds()).toEqual([])
  })
})
