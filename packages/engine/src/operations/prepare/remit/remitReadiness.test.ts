import { BlockingToken } from '@remit/contracts/BlockingToken'
import { approvedToken } from '@remit/testing/support/chain/approvedToken'
import { contractAt } from '@remit/testing/support/chain/contractAt'
import { Frequency, protocolOn } from '@remit/testing/support/chain/protocolOn'
import { checkpointAt } from '@remit/testing/support/chain/useReadingGround'
import { useTestChain } from '@remit/testing/support/chain/useTestChain'
import { useTestService } from '@remit/testing/support/service/testService'
import type { Address } from 'viem'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'

const chain = await useTestChain({ terms: { maxRemits: 2n } })
const protocol = protocolOn(chain)
const { admin, alice, bob, carol, dave, janitor, keeper, provider, stranger } = chain.wallets
const blocking = await approvedToken(chain, BlockingToken)
const token = contractAt(chain.client, blocking, BlockingToken.abi)
const [REVERT, ANSWER_FALSE] = [1, 2]

// Wednesday, and Thursday in the awkward token.
const weekly = await protocol.create()
const awkward = await protocol.create({ token: blocking, dueDay: 4 })
await protocol.join(weekly, alice)
for (const account of [alice, bob, carol]) await protocol.join(awkward, account)
await chain.keep()
const service = await useTestService([chain])

const Readiness = z.object({
  ready: z.boolean(),
  issues: z.array(z.looseObject({ code: z.string() })),
  warnings: z.array(z.looseObject({ code: z.string() })),
  details: z.looseObject({ expectedTransactions: z.number() }),
})

async function check(from: Address = keeper) {
  await service.caughtUp()
  const { body } = await service.post('/check_remit_readiness', { from })
  return Readiness.parse(body)
}

const refuse = (payer: Address, refusal: number) => token.send(admin, 'setRefusal', [payer, refusal])
const today = async () => Math.floor((await chain.now()) / 86_400)

describe('a payer whose transfer is refused', () => {
  it('is named with the token’s reason, whichever page it stands on', async () => {
    await chain.advanceDays(3)
    await protocol.send(keeper, 'remit', [])
    await refuse(bob, REVERT)
    await refuse(alice, ANSWER_FALSE)
    const { ready, issues } = await check()
    expect(ready).toBe(false)
    expect(issues).toMatchObject([
      {
        code: 'REMIT_BLOCKED_BY_TRANSFER',
        subscriptionId: awkward.id,
        subscriber: bob,
        token: blocking,
        reason: { message: expect.stringContaining('payer is blocked') },
      },
      { code: 'REMIT_BLOCKED_BY_TRANSFER', subscriber: alice, reason: { name: 'TRANSFER_ANSWERED_FALSE' } },
    ])
    await service.caughtUp()
    const { status, body } = await service.post('/prepare/remit', { from: keeper })
    expect(status).toBe(422)
    expect(body).toMatchObject({ code: 'NOT_READY', issues: [{ subscriber: bob }, { subscriber: alice }] })
  })

  it('is warned of where it stands only behind calls that go through', async () => {
    await chain.advanceDays(3)
    await refuse(bob, REVERT)
    const { ready, warnings, details } = await check()
    expect({ ready, calls: details.expectedTransactions }).toEqual({ ready: true, calls: 1 })
    expect(warnings).toMatchObject([
      { code: 'REMIT_BLOCKED_BY_TRANSFER', afterCalls: 1, subscriber: bob, token: blocking },
    ])
    await protocol.send(keeper, 'remit', [])
    expect(await protocol.reverts(keeper, 'remit', [])).toBe('payer is blocked')
  })

  it('stops nobody once the provider has removed the subscriber, as the sentence says', async () => {
    await chain.advanceDays(3)
    await protocol.send(keeper, 'remit', [])
    await refuse(bob, REVERT)
    const [issue] = (await check()).issues
    expect(issue?.message).toContain('unsubscribeByProvider')
    await protocol.send(provider, 'unsubscribeByProvider', [awkward, bob])
    expect((await check()).ready).toBe(true)
  })
})

describe('a remit that cannot get on', () => {
  it('says so where maxRemits is 0', async () => {
    await chain.advanceDays(3)
    await protocol.send(admin, 'changeMaxRemits', [0n])
    const { ready, issues } = await check()
    expect(ready).toBe(false)
    expect(issues).toMatchObject([
      { code: 'REMIT_STALLED', reason: 'maxRemits', day: { date: '2026-03-04' } },
    ])
    expect(issues[0]?.message).toContain('changeMaxRemits')
  })

  it('says so where a list is larger than its set, and goes on when the janitor has cleaned it', async () => {
    await chain.advanceDays(3)
    await protocol.send(admin, 'setPageStart', [{ ...checkpointAt(weekly.id), initialized: false }])
    for (const account of [dave, stranger]) await protocol.send(account, 'unsubscribe', [weekly])
    expect(await protocol.reverts(keeper, 'remit', [])).toBe('Panic(17)')
    const { issues } = await check()
    expect(issues).toMatchObject([
      { code: 'REMIT_STALLED', reason: 'listedExceedSubscribers', day: { date: '2026-03-04' } },
    ])
    expect(issues[0]?.message).toContain('cleanUnsubscribeList')
    await protocol.send(admin, 'setPageStart', [{ ...checkpointAt(awkward.id), initialized: false }])
    await protocol.send(janitor, 'cleanUnsubscribeList', [weekly.id])
    expect((await check()).ready).toBe(true)
  })

  it('says so of a stack of empty days only where the chain itself cannot walk it', async () => {
    for (const id of [weekly.id, awkward.id]) {
      await protocol.send(provider, 'cancelSubscription', [{ ...weekly, id }])
    }
    const yearly = await protocol.create({ frequency: Frequency.YEARLY, dueDay: 61 })
    await protocol.join(yearly, alice)
    await protocol.send(admin, 'setNextUncheckedDay', [(await today()) - 7])
    // The cancelled ones leave the lists once a remit has met them.
    for (let call = 0; call < 2; call += 1) await protocol.send(keeper, 'remit', [])
    await protocol.send(admin, 'setNextUncheckedDay', [(await today()) - 210])
    expect(await check()).toMatchObject({ ready: true, details: { expectedTransactions: 1 } })
    await protocol.send(admin, 'setNextUncheckedDay', [(await today()) - 300])
    const { ready, issues } = await check()
    expect(ready).toBe(false)
    expect(issues).toMatchObject([
      { code: 'REMIT_STALLED', reason: 'emptyDays', dueDay: { date: '2026-03-02' } },
    ])
    expect(issues[0]?.message).toContain('setNextUncheckedDay')
  })
})
