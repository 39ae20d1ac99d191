import type { Signal } from '@preact/signals'
import type { CheckSubscribeReadinessByIdAnswer, Subscription } from '@remit/client'
import { describe, expect, it, vi } from 'vitest'
import { settled } from '../../../../../test/support/browser/settled.ts'
import { usePageModules } from '../../../../../test/support/browser/usePageModules.ts'
import type { ConnectedWallet } from '../../../wallet/wallet.ts'
import type { Phase } from './flow.ts'

usePageModules()

// Safe: it is all that the flow looks at while nothing is signed.
const PLAN = {
  id: '0x1',
  cancelled: false,
  token: { symbol: 'USDC' },
  nextDue: null,
} as unknown as Subscription
const A = '0x00000000000000000000000000000000000000aa'
const B = '0x00000000000000000000000000000000000000bb'

async function open() {
  const { connected } = await import('../../../wallet/wallet.ts')
  const { api } = await import('../../../page/api.ts')
  const { SubscribeFlow } = await import('./flow.ts')
  const asked: string[] = []
  vi.spyOn(api, 'checkSubscribeReadinessById').mockImplementation(async ({ from }) => {
    asked.push(from)
    const answer = { from, issues: [], details: { nextDue: null }, asOf: { timestamp: 0 } }
    return answer as unknown as CheckSubscribeReadinessByIdAnswer
  })
  vi.spyOn(api, 'getSubscription').mockImplementation(async () => Object({ subscription: PLAN }))
  const flow = new SubscribeFlow(PLAN)
  const switchTo = async (address: string) => {
    // Safe: the wallet's own signal, which only the wallet writes elsewhere.
    ;(connected as Signal<ConnectedWallet | undefined>).value = {
      wallet: { key: 'test' },
      address,
      chainId: 1,
    } as ConnectedWallet
    await settled()
  }
  return { flow, asked, switchTo }
}

const A_SENT = [{ hash: '0x2', status: 'success' }]

describe('what came of a signature', () => {
  it.each([
    ['a receipt', { kind: 'done', outcome: {}, address: A }],
    ['an end after something was sent', { kind: 'stopped', trouble: {}, steps: [], sent: A_SENT }],
  ])('stays in sight, whatever the wallet shows then: %s', async (_what, phase) => {
    const { flow, asked, switchTo } = await open()
    await switchTo(A)
    // Safe: the flow looks at no more of it.
    flow.phase.value = phase as unknown as Phase
    await switchTo(B)
    expect(flow.phase.value.kind).toBe(phase.kind)
    expect(flow.isMember).toBe(phase.kind === 'done')
    flow.startAgain()
    await settled()
    expect(asked).toEqual([A, B])
  })

  it('gives way to the terms of the other account where nothing was sent', async () => {
    const { flow, switchTo } = await open()
    await switchTo(A)
    flow.phase.value = { kind: 'stopped', trouble: Object({}), steps: [], sent: [] }
    await switchTo(B)
    expect(flow.phase.value.kind).toBe('terms')
  })
})

describe('the numbers in sight', () => {
  it('are those of the connected wallet, whichever was read after sending had failed', async () => {
    const { flow, asked, switchTo } = await open()
    await switchTo(A)
    flow.phase.value = { kind: 'sending', steps: [] }
    await switchTo(B)
    expect(flow.phase.value.kind).toBe('sending')
    flow.phase.value = { kind: 'stopped', trouble: Object({}), steps: [], sent: [] }
    flow.startAgain()
    await settled()
    expect(asked).toEqual([A, B])
    await switchTo(A)
    expect(asked).toEqual([A, B, A])
    expect(flow.readiness.value).toMatchObject({ state: 'there', answer: { from: A } })
  })
})
