import { expect, it } from 'vitest'
import * as z from 'zod'
import { protocolOn, units } from '../../support/chain/protocolOn.ts'
import { signerOf } from '../../support/chain/useTestChain.ts'
import { indexed } from '../../support/service/indexed.ts'
import { useTestService } from '../../support/service/testService.ts'
import { signAndSend } from '../../support/wallets/signAndSend.ts'
import { describeHardhat } from './startHardhat.ts'

const Readiness = z.object({
  details: z.object({
    expectedTransactions: z.number(),
    callerFees: z.array(z.object({ amountRaw: z.string() })),
  }),
})

describeHardhat('over Hardhat’s node, which lacks eth_simulateV1,', async (chain) => {
  const { client, tokens, wallets } = chain
  const { alice, bob, keeper } = wallets
  const protocol = protocolOn(chain)
  // Due today and two days from now.
  const [today, wednesday] = [await protocol.create({ dueDay: 1 }), await protocol.create()]
  await protocol.join(today, bob)
  await protocol.fund(tokens.usdc, alice, { balance: 10n ** 9n })
  const service = await useTestService([chain])

  it('reads are what the contract’s views say', async () => {
    await service.caughtUp()
    const [id, amount, owner, token, cancelled, frequency, dueDay] = await protocol.read('idSubMap', [
      today.id,
    ])
    const { body } = await service.get(`/subscriptions/${today.id}`)
    const terms = { id, amountRaw: String(await protocol.toRaw(token, amount)), provider: owner }
    expect(body).toMatchObject({
      subscription: { ...terms, cancelled, frequency, dueDay, token: { address: token } },
    })
    const subscribers = await service.get(`/subscriptions/${today.id}/subscribers`)
    expect(subscribers.body).toMatchObject({ subscribers: [{ subscriber: bob }], count: 1 })
    expect(await protocol.subscribersOf(today)).toEqual([bob])
    expect((await service.get('/protocol/state')).body).toMatchObject({
      nextUncheckedDay: { dayNumber: Number(await protocol.read('nextUncheckedDay', [])) },
      maxRemits: Number(await protocol.read('maxRemits', [])),
    })
  })

  it('a subscription is prepared, each call by itself and with a warning, and succeeds when it is sent', async () => {
    const { body } = await service.post('/prepare/subscribe_by_id', { from: alice, id: wednesday.id })
    expect(body).toMatchObject({
      simulation: { success: true, method: 'partial' },
      warnings: [{ code: 'SIMULATION_PARTIAL' }, { code: 'GAS_HEURISTIC' }],
    })
    const { receipts } = await signAndSend(chain, signerOf(3), body)
    expect(receipts.map(({ status }) => status)).toEqual(['success', 'success'])
    expect(await protocol.subscribersOf(wednesday)).toEqual([alice])
  })

  it('what is due is forecast with a warning, and remit pays its caller what was forecast', async () => {
    const at = (await client.getBlock()).timestamp + 7n * 86_400n
    await client.setNextBlockTimestamp({ timestamp: at })
    await client.mine({ blocks: 1 })
    await service.caughtUp()
    const readiness = await service.post('/check_remit_readiness', { from: keeper })
    expect(readiness.body).toMatchObject({
      ready: true,
      warnings: [{ code: 'REMIT_NEEDS_MORE_TRANSACTIONS' }, { code: 'SIMULATION_PARTIAL' }],
    })
    const { details } = Readiness.parse(readiness.body)
    expect(details.expectedTransactions).toBe(3)
    for (let sent = 0; sent < details.expectedTransactions; sent += 1) {
      await service.caughtUp()
      const { body } = await service.post('/prepare/remit', { from: keeper })
      expect(body).toMatchObject({ simulation: { success: true, method: 'partial' } })
      const { receipts } = await signAndSend(chain, signerOf(9), body)
      expect(receipts.map(({ status }) => status)).toEqual(['success'])
    }
    const earned = await protocol.balanceOf(tokens.usdc, keeper)
    expect(details.callerFees).toEqual([{ amountRaw: String(earned) }])
    await service.caughtUp()
    const { body } = await service.post('/check_remit_readiness', { from: keeper })
    expect(body).toMatchObject({ ready: false, issues: [{}] })
  })

  it('the index follows, also when blocks are replaced', async () => {
    const id = await client.snapshot()
    const gone = await protocol.create({ amount: units('7') })
    await indexed(service, chain)
    expect((await service.get(`/subscriptions/${gone.id}/history`)).body).toMatchObject({ count: 1 })
    await client.revert({ id })
    // Ids depend on the time of their block.
    await client.mine({ blocks: 1 })
    const kept = await protocol.create({ amount: units('8') })
    expect(kept.id).not.toBe(gone.id)
    await indexed(service, chain)
    expect((await service.get(`/subscriptions/${kept.id}/history`)).body).toMatchObject({ count: 1 })
    expect((await service.get(`/subscriptions/${gone.id}/history`)).status).toBe(404)
    const { body } = await service.get(`/subscriptions/${wednesday.id}/history`)
    expect(body).toMatchObject({
      events: expect.arrayContaining([
        expect.objectContaining({ eventName: 'Subscribed', subscriber: alice }),
      ]),
    })
  })

  it('/status names what the node lacks', async () => {
    const { body } = await service.get('/status')
    expect(body).toMatchObject({
      chains: [
        {
          rpc: { ok: true },
          peculiarities: [{ endpoint: 1, name: 'simulateV1', source: 'learnt' }],
          index: { ok: true, synced: true },
        },
      ],
    })
  })
})
