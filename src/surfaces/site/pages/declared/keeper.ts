import { definePage } from '../definePage.ts'

/** Anybody may collect, and everybody is paid the same: what waits can be told without a wallet. */
const ANYBODY = '0x000000000000000000000000000000000000dEaD'
/** A monthly plan is due once in so many days. */
const DAYS_AHEAD = 31

export const keeper = definePage({
  name: 'keeper',
  path: '/keeper',
  title: 'Keeper',
  description: 'Payments that wait to be collected, what collecting them earns, and what it costs.',
  // Ten thousand payments may wait.
  takesLong: true,
  reads: () => ({ prepared: { operation: 'prepare_remit', input: { from: ANYBODY } } }),
  readsNext: ({ prepared }, _address, { today }) =>
    prepared?.status === 200
      ? {}
      : {
          readiness: { operation: 'check_remit_readiness', input: { from: ANYBODY } },
          ...(today === null
            ? {}
            : {
                ahead: {
                  operation: 'simulate_remit',
                  input: { dayNumber: today + DAYS_AHEAD },
                  // The page shows the next one.
                  most: { calls: 1 },
                },
              }),
        },
})
