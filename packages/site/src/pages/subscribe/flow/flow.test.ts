import type { Signal } from '@preact/signals'
import type { CheckSubscribeReadinessByIdAnswer, Subscription } from '@remit/client'
import { settled } from '@remit/testing/support/browser/settled'
import { PAGE_CHAIN, usePageModules } from '@remit/testing/support/browser/usePageModules'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { ConnectedWallet } from '../../../wallet/wallet.ts'
import type { Phase } from './flow.ts'

usePageModules({ chain: { ...PAGE_CHAIN, chainId: 1 } })

// Safe: it is all that the flow looks at while nothing is signed.
const PLAN = {
  id: '0x1',
  cancelled: false,
  token: { symbol: 'USDC' },
  nextDue: null,
  overdue: [],
} as unknown as Subscription
const A = '0x00000000000000000000000000000000000000aa'
const B = '0x00000000000000000000000000000000000000bb'

async function open() {
  const { connected } = await import('../../../wallet/wallet.ts')
  const { api } = await import('../../../page/api.ts')
  const { SubscribeFlow } = await import('./flow.ts')
  // It is loaded with the first that is prepared, which takes longer than what is waited for here.
  await import('../../../signing/sponsor.ts')
  const asked: string[] = []
  vi.spyOn(api, 'checkSubscribeReadinessById').mockImplementation(async ({ from }) => {
    asked.push(from)
    const answer = {
      from,
      issues: [],
      details: { nextDue: null, alsoAffects: [] },
      warnings: [],
      asOf: { timestamp: 0 },
    }
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

it('a limit that the readiness waits for is told with its end, and never looks like loading', async () => {
  const { flow, switchTo } = await open()
  const { api } = await import('../../../page/api.ts')
  vi.spyOn(api, 'checkSubscribeReadinessById').mockImplementation((_input, options) => {
    options?.onWait?.({ for: 'limit', forMs: 52_000, bucket: 'globalRpm', lane: 'free', limit: 20 })
    return new Promise(() => {})
  })
  await switchTo(A)
  expect(flow.limitedUntilMs.value).toBeGreaterThan(Date.now() + 40_000)
})

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

describe('what was sent before the page was loaded', () => {
  const sent = {
    step: 1,
    of: 1,
    functions: ['subscribe'],
    calls: [],
    hash: '0x2',
    callsId: null,
    sentAfter: 7,
  }
  const row = (id: string) => ({
    asked: { flow: 'subscribe', request: { id } },
    title: 'Subscribe',
    done: 'You are subscribed.',
    chainId: 1,
    contract: null,
    atMs: Date.now(),
    sent: { ...sent, from: A },
  })
  const load = async (...rows: object[]) => {
    vi.stubGlobal('localStorage', { getItem: () => JSON.stringify(rows), setItem: () => {} })
    const followed: unknown[] = []
    let end = (_outcome: object | undefined) => {}
    const follow = (_wallet: unknown, what: unknown) => {
      followed.push(what)
      return new Promise((resolve) => {
        end = resolve
      })
    }
    const { api } = await import('../../../page/api.ts')
    vi.doMock('../../../wallet/signing.ts', () => ({
      openSigning: () => ({ client: { ...api, subscribe: () => ({ follow }) }, wallet: {} }),
    }))
    await import('../../../wallet/signing.ts')
    const opened = await open()
    const finish = async (outcome: object | undefined) => {
      end(outcome)
      await settled()
    }
    return { ...opened, followed, finish }
  }
  afterEach(() => vi.doUnmock('../../../wallet/signing.ts'))

  it('is looked for, and nothing is asked or offered until it is known', async () => {
    const { flow, asked, followed, switchTo, finish } = await load(row(PLAN.id))
    expect(flow.phase.value.kind).toBe('terms')
    await switchTo(A)
    expect([flow.phase.value.kind, followed.length, asked]).toEqual(['sending', 1, []])
    await finish({ transactions: [] })
    expect(flow.phase.value).toMatchObject({ kind: 'done', address: A })
    expect(flow.isMember).toBe(true)
  })

  it('gives way to the terms where it was the permission only', async () => {
    const { flow, asked, switchTo, finish } = await load(row(PLAN.id))
    await switchTo(A)
    await finish(undefined)
    expect([flow.phase.value.kind, asked]).toEqual(['terms', [A]])
  })

  it('is not that of another plan, nor of another account', async () => {
    const { flow, asked, followed, switchTo } = await load(row('0x9'), row(PLAN.id))
    await switchTo(B)
    expect([flow.phase.value.kind, followed, asked]).toEqual(['terms', [], [B]])
  })
})

it('the numbers in sight are those of the connected wallet, whichever was read after sending had failed', async () => {
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
