import { type Address, getAddress, isAddressEqual } from 'viem'
import { countedSteps, replayCounted } from './remitCounted.ts'
import { explainFirst, isSeen, systemFeeSeen, withCheckpoint, withSystemFee } from './remitExplain.ts'
import { type RemitStep, stepOf } from './remitForecast.ts'
import type { ObservedRemit, RemitProbe } from './remitObserved.ts'
import { remitOnce } from './remitOnce.ts'
import { EMPTY_DAYS_PER_CALL, type RemitBacklog, type RemitState, remitState } from './remitState.ts'

/** What of an outlook is not certain. */
export type RemitGap =
  /** Nobody could be asked: where a page broke off and whether the system takes its part are not known. */
  | 'unprobed'
  /** Calls were counted without their logs: who is charged first is inferred from what they paid. */
  | 'counted'
  /** Calls were counted without their logs, and nothing fits them: who is charged is not known. */
  | 'days'
  /** No fee was paid in what was seen: whether the system takes its part is not known. */
  | 'systemFee'
  /** A token paid other fees than the contract sent: what lies behind the calls that were seen is not certain. */
  | 'tokenFees'
  /** Behind the calls that were seen, nothing can be told: the figures are the least that it takes. */
  | 'unseen'

/** What was seen, as steps, and the state behind it where the rules can go on from there. */
export interface Seen {
  readonly steps: readonly RemitStep[]
  readonly state: RemitState | undefined
  readonly gaps: readonly RemitGap[]
  readonly isFeeSeen: boolean
  /** Tokens of which the caller received other fees than the rules have it. */
  readonly oddTokens: ReadonlySet<Address>
}

const NONE_ODD: ReadonlySet<Address> = new Set()

const NOTHING_SEEN = { steps: [], gaps: [], isFeeSeen: true, oddTokens: NONE_ODD } as const

/** Reads a probe against the backlog, and takes the rules along as far as they agree. */
export function seenIn(
  backlog: RemitBacklog,
  { probe, systemFee, isHidden }: { probe: RemitProbe; systemFee: bigint; isHidden: boolean },
): Seen {
  if (probe.method === 'eth_simulateV1') {
    const replayed = isHidden ? undefined : replay(backlog, systemFee, probe.calls)
    if (replayed !== undefined) return { ...replayed, gaps: [] }
    const steps = probe.calls.map((call) => seenStep(call, backlog))
    return { ...NOTHING_SEEN, steps, state: undefined }
  }
  const replayed = isHidden ? undefined : replayCounted(backlog, systemFee, probe.calls)
  if (probe.calls.length === 0) return { ...NOTHING_SEEN, state: replayed?.state }
  if (replayed !== undefined) return { ...NOTHING_SEEN, ...replayed, gaps: ['counted'] }
  return { ...NOTHING_SEEN, steps: countedSteps(probe.calls), state: undefined, gaps: ['days'] }
}

/** Takes a state through what was seen; `undefined` where the rules do otherwise. */
function replay(
  backlog: RemitBacklog,
  systemFee: bigint,
  calls: readonly ObservedRemit[],
): Omit<Seen, 'gaps'> | undefined {
  const [first] = calls
  const start = first && explainFirst(backlog, first)
  if (start?.explained === false) return undefined
  const begun = withCheckpoint(backlog, start?.checkpoint)
  const fee = systemFeeSeen(begun, systemFee, calls)
  const state = remitState(withSystemFee(begun, systemFee, fee))
  state.emptyDaysPerCall = Number.POSITIVE_INFINITY
  const steps: RemitStep[] = []
  const oddTokens = new Set<Address>()
  for (const call of calls) {
    const outcome = remitOnce(state)
    if (!isSeen(outcome, call)) return undefined
    // What a token really paid is in its logs; why somebody failed is not.
    const { callerFees } = seenStep(call, backlog)
    const reckoned = stepOf(outcome, state)
    for (const token of differing(reckoned.callerFees, callerFees)) oddTokens.add(token)
    steps.push({ ...reckoned, callerFees })
  }
  const walked = calls.map(({ emptyDays }) => emptyDays)
  state.emptyDaysPerCall = Math.max(EMPTY_DAYS_PER_CALL, ...walked)
  return { state, steps, isFeeSeen: fee !== undefined, oddTokens }
}

function differing(expected: RemitStep['callerFees'], seen: RemitStep['callerFees']): Address[] {
  const differences = new Map<Address, bigint>()
  const add = (token: Address, amountRaw: bigint) => {
    const key = getAddress(token)
    differences.set(key, (differences.get(key) ?? 0n) + amountRaw)
  }
  for (const { token, amountRaw } of expected) add(token, amountRaw)
  for (const { token, amountRaw } of seen) add(token, -amountRaw)
  return [...differences].flatMap(([token, difference]) => (difference === 0n ? [] : [token]))
}

/** A call as its logs alone tell it. */
export function seenStep(
  { dayNumber, finished, charges, fees }: ObservedRemit,
  { accounts }: Pick<RemitBacklog, 'accounts'>,
): RemitStep {
  return {
    dayNumber,
    charges,
    transfers: [],
    callerFees: fees.filter(({ to }) => isAddressEqual(to, accounts.caller)),
    skipped: [],
    nextUncheckedDay: finished ? dayNumber + 1 : dayNumber,
  }
}
