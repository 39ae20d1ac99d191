import type { Subscription } from '@remit/client'
import { usePageModules } from '@remit/testing/support/browser/usePageModules'
import { expect, it } from 'vitest'
import type { PastPayment } from './payments.ts'

usePageModules()

/** Weekly, on Thursdays. */
const PLAN = { id: '0x1', frequency: 0, dueDay: 4 }
// Safe: it is all that is looked at.
const paidAt = (date: string, kind: PastPayment['kind'] = 'period', id = PLAN.id) =>
  ({ kind, at: new Date(date), plan: { ...PLAN, id } as unknown as Subscription }) as unknown as PastPayment

it('asks for which day a payment was only where it may be another than that on which it was taken', async () => {
  const { takenLater } = await import('./PastRows.tsx')
  const onTime = paidAt('2026-11-26T00:00:12Z')
  const late = paidAt('2026-11-20T09:00:00Z')
  const [one, other] = [paidAt('2026-11-12T08:00:00Z'), paidAt('2026-11-12T08:00:24Z')]
  const [paid, failed] = [paidAt('2026-11-05T08:00:00Z'), paidAt('2026-11-05T08:00:24Z', 'dropped')]
  const others = [paidAt('2026-11-20T09:00:00Z', 'first'), paidAt('2026-11-26T00:00:12Z', 'period', '0x2')]
  expect(takenLater([onTime, late, one, other, paid, failed, ...others])).toEqual([
    late,
    one,
    other,
    paid,
    failed,
  ])
})
