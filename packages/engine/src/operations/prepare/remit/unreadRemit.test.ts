import { useReadingGround } from '@remit/testing/support/chain/useReadingGround'
import { writeDue } from '@remit/testing/support/chain/writeState'
import { expect, it, vi } from 'vitest'
import { remitAfterMidnight } from './prepareRemit.ts'
import { findRemit } from './remitFindings.ts'
import { remitIssues, remitWarnings, toRemitReadiness } from './remitReadiness.ts'

const ground = await useReadingGround()
const { protocol, proxy, wallets } = ground
const plan = await protocol.create()
// A list of which a page of 25 million gas reads one in twenty.
await writeDue(ground, plan, { subscriber: wallets.alice, size: 4_000 })
await ground.advanceDays(3)
await ground.keep()

const TOO_LONG = { code: -32000, message: 'execution aborted (timeout = 5s)' }

it('a backlog that cannot be read is forecast by the simulation alone, which says how far it went', async () => {
  await ground.view(async (view) => {
    proxy.fail({ callGas: 25_000_000 })
    const findings = await findRemit(view, wallets.keeper)
    expect(remitIssues(view, findings)).toEqual([])
    const { seen, expectedTransactions, days, callerFees } = toRemitReadiness(view, findings)
    expect(expectedTransactions).toBeGreaterThan(8)
    expect(seen.calls).toBe(expectedTransactions)
    expect(days).toMatchObject([{ date: '2026-03-04', willFail: 0, transactions: expectedTransactions }])
    expect(callerFees).toMatchObject([{ token: { symbol: 'USDC' } }])
    const cut = remitWarnings(view, findings).find(({ code }) => code === 'FORECAST_CUT')
    expect(cut).toMatchObject({ reason: 'unknown', seen })
    expect(cut?.message).toContain('more is due than can be read at a block')

    proxy.reset()
    await findRemit(view, wallets.keeper)
    expect(proxy.requests).toBe(0)
  })
})

it('is forecast anew for who waited for a forecast whose caller has left', async () => {
  await ground.view(async (view) => {
    proxy.fail({ callGas: 25_000_000 })
    const first = vi.fn(view.remit.probe)
    let leave = () => {}
    const isLeft = new Promise<never>((_, reject) => {
      leave = () => reject(new Error('the caller has left'))
    })
    first.mockImplementationOnce(view.remit.probe).mockImplementationOnce(() => isLeft)
    const leaving = findRemit({ ...view, remit: { ...view.remit, probe: first } }, wallets.bob)
    await expect.poll(() => first.mock.calls.length).toBe(2)
    const second = vi.fn(view.remit.probe)
    const waiting = findRemit({ ...view, remit: { ...view.remit, probe: second } }, wallets.bob)
    await expect.poll(() => second.mock.settledResults[0]?.type).toBe('fulfilled')
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(second).toHaveBeenCalledTimes(1)
    leave()
    await expect(leaving).rejects.toThrow('has left')
    expect((await waiting).probed.seenCalls).toBeGreaterThan(8)
  })
})

it('is an error by name where the node cannot simulate either', async () => {
  await ground.view(async (view) => {
    const refuse = { error: { code: -32601, message: 'the method does not exist' } }
    proxy.fail({
      callGas: 25_000_000,
      answer: ({ method, params }) =>
        method === 'eth_simulateV1' || JSON.stringify(params).includes(wallets.keeper) ? refuse : undefined,
    })
    await expect(findRemit(view, wallets.keeper)).rejects.toMatchObject({ code: 'UPSTREAM_ERROR' })
  })
})

it('what is due after midnight and cannot be read does not stop the answer about today', async () => {
  await ground.advanceTo(Date.UTC(2026, 2, 10, 23, 55) / 1000)
  await ground.view(async (view) => {
    proxy.fail({ answer: ({ method }) => (method === 'eth_call' ? { error: TOO_LONG } : undefined) })
    const [warning] = await remitAfterMidnight(view)
    expect(warning).toMatchObject({ code: 'DAY_ENDS_SOON', dayAfter: { date: '2026-03-11' } })
    expect(warning?.message).toContain('cannot be read')
  })
})
