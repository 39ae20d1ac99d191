import { createProjection } from '@remit/service/testing/history/projection/createProjection'
import { expect, it } from 'vitest'
import { Frequency } from '../support/chain/protocolOn.ts'
import { useReadingGround } from '../support/chain/useReadingGround.ts'
import { sweepOver } from '../support/history/sweepOver.ts'
import { describeStores } from '../support/stores/describeStores.ts'

const ground = await useReadingGround()
const { protocol, chainId, wallets, tokens } = ground
const { admin, alice, carol, provider } = wallets
const monthly = await protocol.create({ frequency: Frequency.MONTHLY, dueDay: 9, token: tokens.dai })
await protocol.join(monthly, alice)
await protocol.join(monthly, carol, { balance: 10n ** 19n, allowance: 10n ** 19n })
await ground.keep()

const DUE = Date.UTC(2026, 2, 9) / 1_000
const HOUR = 3_600

describeStores('what the watch tells', ({ open }) => {
  const sweepHere = async () => {
    const store = await open()
    const swept = await sweepOver(ground, store)
    /** Goes to a time before the due day, and has the index, the watch and the sweep do what is to be done by then. */
    const at = async (hoursBefore: number) => {
      await ground.advanceTo(DUE - hoursBefore * HOUR)
      await swept.filling.fill()
      await swept.look()
      await swept.all()
    }
    const kinds = async () => {
      const charges = await swept.queries((history) => history.expectedCharges({ provider }, DUE / 86_400))
      return charges.map(({ kind, count }) => [kind, count]).toSorted()
    }
    const log = async (after: number) => {
      const query = { after, first: 100, filters: {}, finality: 'seen' } as const
      const page = await createProjection(store).readLog(chainId, query)
      return page?.events ?? []
    }
    const before = (await log(0)).length
    const told = async () => (await log(before)).map(({ type }) => type)
    return { at, kinds, told, pause: (on: boolean) => protocol.send(admin, 'pauseToken', [tokens.dai, on]) }
  }

  it('is a token’s pause, and who is at risk where it is resumed hours before the due day', async () => {
    const { at, kinds, told, pause } = await sweepHere()
    await pause(true)
    await at(60)
    await at(10)
    await pause(false)
    await at(8)
    expect(await kinds()).toEqual([
      ['failed', 1],
      ['paid', 1],
    ])
    expect(await told()).toEqual(['token.paused', 'token.resumed', 'coverage.ending', 'payment.at_risk'])
  })

  it('is a token’s pause, from which on its charges are skipped and nobody is at risk', async () => {
    const { at, kinds, told, pause } = await sweepHere()
    await at(60)
    await pause(true)
    await at(59)
    expect(await kinds()).toEqual([['skipped', 2]])
    expect(await told()).toEqual(['coverage.ending', 'payment.at_risk', 'token.paused', 'payment.safe_again'])
  })
})
