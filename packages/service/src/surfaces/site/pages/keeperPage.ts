import type { PageAnswer } from '@remit/site/page/pageContents'
import * as z from 'zod'
import { definePage } from './definePage.ts'
import { plansNamed } from './furtherReads.ts'

/** Stands for the visitor's wallet, which is not known yet: anybody may collect, and everybody is paid the same. */
const ANYBODY = '0x000000000000000000000000000000000000dEaD'
/** How far the page looks for the next collection: a monthly plan is due once in so many days. */
const KEEPER_DAYS_AHEAD = 31

/** How many of those who cannot pay are shown. */
const MOST_FAILING = 10

const Failing = z.object({
  preflight: z.object({ failing: z.array(z.object({ subscriptionId: z.string() })) }),
})

/** The ids of their plans. */
function failingIn(prepared: PageAnswer): readonly string[] {
  const found = Failing.safeParse(prepared.body)
  const rows = found.success ? found.data.preflight.failing : []
  return rows.slice(0, MOST_FAILING).map(({ subscriptionId }) => subscriptionId)
}

/** What waits to be collected, for anybody who would do it. */
export const keeper = definePage({
  name: 'keeper',
  path: '/keeper',
  title: 'Collect payments',
  description: 'Payments that wait to be collected, what collecting them earns, and what it costs.',
  // Ten thousand payments may wait.
  takesLong: true,
  reads: () => ({ prepared: { operation: 'prepare_remit', input: { from: ANYBODY } } }),
  readsNext: ({ prepared }, _address, { today }) =>
    prepared?.status === 200
      ? plansNamed(failingIn(prepared))
      : {
          readiness: { operation: 'check_remit_readiness', input: { from: ANYBODY } },
          ...(today === null
            ? {}
            : {
                ahead: {
                  operation: 'simulate_remit',
                  input: { dayNumber: today + KEEPER_DAYS_AHEAD },
                  // The page shows the next one.
                  most: { calls: 1 },
                },
              }),
        },
})
