import { forecastFromProbe } from '@remit/protocol/remit/forecastFromProbe'
import { type RemitForecast, sumUp } from '@remit/protocol/remit/forecastRemit'
import { withCheckpoint } from '@remit/protocol/remit/inferHiddenState'
import type { ObservedRemit, RemitProbe } from '@remit/protocol/remit/observeRemit'
import type { RemitBacklog } from '@remit/protocol/remit/remitState'
import { stepFromLogs } from '@remit/protocol/remit/replayProbe'
import { encodeErrorResult } from 'viem'
import { expect } from 'vitest'

/** The contract's word for "nothing is due". */
const NOT_DUE = encodeErrorResult({
  abi: [{ type: 'error', name: 'Error', inputs: [{ type: 'string' }] }],
  errorName: 'Error',
  args: ['6'],
})

/** A remit that was sent, and what stood in the contract's views before. */
export interface SentRemit {
  readonly before: RemitBacklog
  readonly observed: ObservedRemit
}

/**
 * Holds what would have been said before each of these remits, had its first so many calls been tried, against
 * all that followed: without being told where pages broke off, or whether the system takes its part.
 */
export function expectOutlooks(sent: readonly SentRemit[], systemFee: bigint, tried: number): void {
  for (const [index, { before }] of sent.entries()) {
    const followed = sent.slice(index).map(({ observed }) => observed)
    const probe: RemitProbe = {
      method: 'eth_simulateV1',
      calls: followed.slice(0, tried),
      revert: followed.length < tried ? { data: NOT_DUE, ranOutOfGas: false } : undefined,
    }
    const untold = withCheckpoint({ ...before, systemFee: undefined }, undefined)
    const { forecast, gaps } = forecastFromProbe(untold, { probe, systemFee, isHidden: false })
    // A first call that pays no fee cannot tell whose it would be.
    if (gaps.length > 0)
      expect({ gaps, fees: probe.calls.flatMap(({ fees }) => fees) }).toEqual({
        gaps: ['systemFee'],
        fees: [],
      })
    const steps = followed.map((call) => stepFromLogs(call, before))
    const truth = sumUp(steps, before.nextUncheckedDay, undefined)
    expect(told(forecast, gaps.length === 0)).toEqual(told(truth, gaps.length === 0))
  }
}

function told({ days, failing, callerFees, expectedTransactions }: RemitForecast, withFees: boolean) {
  return {
    days,
    failing: failing.map(({ reason: _, ...failure }) => failure),
    callerFees: withFees ? new Map(callerFees.map(({ token, amountRaw }) => [token, amountRaw])) : undefined,
    expectedTransactions,
  }
}
