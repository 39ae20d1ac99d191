import type { RemitForecast, RemitStep, StepTransfer } from '@remit/protocol/remit/forecastRemit'
import type { SimulationCut } from '@remit/protocol/remit/observeRemit'
import type { TokenTransfer } from '@remit/protocol/remit/remitState'
import {
  type Address,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  type Hex,
  isAddressEqual,
  zeroAddress,
} from 'viem'
import type { BacklogState } from '../../../ports/chainReads.ts'
import type { ChainView } from '../../../ports/chains.ts'
import type { PlannedCall } from '../../../ports/proof.ts'
import type { TrialStep, WayOutTrial } from '../../../ports/remit.ts'
import { approveCall, protocolCall } from '../answer/plannedCall.ts'

// Which transfers stop remit (`findRefusals`), what would get it past them (`findWaysOut`, by simulation), and how an issue
// says so (`wayOutSentence`, `wayOutFacts`). A transfer that its token refuses makes the whole remit() revert, each time, so nobody
// behind it is charged. A way out is something that a subscriber, a provider, the admin or anybody can do about it. Each is tried on a
// state of its own: the calls of remit() before the refused transfer, the steps of the way, and remit() again.

/** A transfer that stops every remit, because its token reverts or answers false. */
export interface RefusedTransfer {
  readonly transfer: TokenTransfer
  /** What the token reverts with; `undefined` where it answers false. */
  readonly data: Hex | undefined
  /** The charge that it is part of; `undefined` for a fee. */
  readonly charge: StepTransfer['charge']
  /** The day that remit works on when it makes this transfer. */
  readonly dayNumber: number
}

/**
 * Tries the transfers of steps (calls of remit() that were calculated, not simulated), after `calls` simulated calls of remit().
 *
 * `triedSteps` counts the first steps of which every transfer succeeded. `refused` are the refused transfers of the next
 * step and the rest of its day; empty where nothing is refused. `cut` says why others were not tried, where the node is
 * the reason.
 */
export async function findRefusals(
  chain: ChainView,
  caller: Address,
  { calls, steps }: { calls: number; steps: readonly RemitStep[] },
): Promise<{ triedSteps: number; refused: readonly RefusedTransfer[]; cut?: SimulationCut }> {
  const all = steps.flatMap(({ transfers, dayNumber }, step) =>
    transfers.map((own) => ({ ...own, dayNumber, step })),
  )
  if (all.length === 0) return { triedSteps: steps.length, refused: [] }
  const transfers = all.map(({ transfer }) => transfer)
  const { tried, refusals, cut } = await chain.remit.transfers(caller, { calls, transfers })
  const refused = refusals.flatMap(({ index, data }) => {
    const own = all[index]
    return own === undefined ? [] : [{ ...own, data }]
  })
  const [first] = refused
  if (first === undefined)
    return { triedSteps: all[tried]?.step ?? steps.length, refused: [], ...(cut && { cut }) }
  const ofThatDay = refused.filter(({ dayNumber }) => dayNumber === first.dayNumber)
  return { triedSteps: first.step, refused: ofThatDay.map(({ step: _, ...own }) => own) }
}

/** A way to get remit past a refused transfer. */
type WayOutAction =
  | 'revokeAllowance'
  | 'unsubscribe'
  | 'unsubscribeByProvider'
  | 'cancelSubscription'
  | 'otherCaller'
  | 'changeSysFeeReceiver'
  | 'sendMissing'
  | 'pauseToken'

/** The result of simulating the ways out. */
export type WaysOut =
  | { readonly tried: true; readonly ways: readonly (WayOut & { readonly works: boolean })[] }
  /** `node`: it cannot simulate. `tooFar`: too many calls or charges come before the refused transfer. */
  | { readonly tried: false; readonly why: 'node' | 'tooFar' }

interface WayOut {
  readonly action: WayOutAction
  /** The sentence for one refused transfer, and who must act; `null` where anybody can. */
  readonly told: (refused: RefusedTransfer) => { readonly by: Address | null; readonly sentence: string }
}

interface Candidate extends WayOut {
  readonly trial: WayOutTrial
}

/** With more calls before it, the simulation of a way out would be too large. */
const MOST_CALLS_BEFORE = 16

/** With more charges before it, the node's answer would be too large: each is some 3 KB of logs, once for every way out. */
const MOST_CHARGES_BEFORE = 500

/** The most steps of one way out. There is one for each account, subscription or token. */
const MOST_STEPS = 20

/** The most calls of remit that are tried after a way out. Each may hold some of the refused transfers. */
const MOST_PAGES = 4

/** Stands for anybody else: an address that no token treats specially. */
const SOMEBODY = getAddress('0x000000000000000000000000000000000052e317')

/**
 * Simulates the ways out of refused transfers: each one for all of them together, followed by remit.
 *
 * Makes one HTTP request, or none where the node cannot simulate.
 * @param found.forecast the calls that succeed before them
 */
export async function findWaysOut(
  chain: ChainView,
  found: {
    readonly caller: Address
    readonly backlog: BacklogState
    readonly refused: readonly RefusedTransfer[]
    /** How many charges of the day are left, from the call with the first refused transfer on. */
    readonly charges: number
    readonly forecast: Pick<RemitForecast, 'expectedTransactions' | 'days'>
  },
): Promise<WaysOut> {
  const { caller, backlog, refused, forecast } = found
  const calls = forecast.expectedTransactions
  const before = forecast.days.reduce((sum, { subscribers }) => sum + subscribers, 0)
  if (calls > MOST_CALLS_BEFORE || before > MOST_CHARGES_BEFORE) return { tried: false, why: 'tooFar' }
  const candidates = candidatesFor(chain, found).filter(({ trial }) => trial.steps.length <= MOST_STEPS)
  const ways = candidates.map(({ trial }) => trial)
  // The first refused transfer is in the very next call.
  const rest = Math.ceil(found.charges / Math.max(1, backlog.settings.maxRemits))
  const pages = refused.length > 1 ? Math.min(Math.max(1, rest), MOST_PAGES) : 1
  const worked = await chain.remit.waysOut(caller, { calls, pages, ways })
  if (worked === undefined) return { tried: false, why: 'node' }
  return {
    tried: true,
    ways: candidates.map(({ action, told }, index) => ({ action, told, works: worked[index] === true })),
  }
}

/** The ways out to try. Where charges and fees are refused together, only pausing the token can help with all of them. */
function candidatesFor(chain: ChainView, found: Found): Candidate[] {
  const { refused } = found
  const fees = refused.filter(({ charge }) => charge === undefined)
  const pausing = pauseCandidate(chain, found)
  if (fees.length === 0) return [...chargeCandidates(chain, found), ...pausing]
  return fees.length === refused.length ? [...feeCandidates(chain, found), ...pausing] : pausing
}

type Found = Pick<Parameters<typeof findWaysOut>[1], 'caller' | 'backlog' | 'refused'>

/** The ways out where a charge is refused, by the subscriber or the provider. */
function chargeCandidates(chain: ChainView, { caller, backlog, refused }: Found): Candidate[] {
  const contract = chain.contractAddress
  const terms = new Map(
    backlog.lists.flatMap(({ entries }) => entries.map((entry) => [entry.terms.id, entry.terms] as const)),
  )
  const charges = refused.flatMap((own) => {
    const subscription = own.charge && terms.get(own.charge.id)
    return own.charge === undefined || subscription === undefined ? [] : [{ ...own.charge, subscription }]
  })
  const providerOf = ({ charge }: RefusedTransfer) =>
    (charge && terms.get(charge.id)?.provider) ?? zeroAddress
  const subscriberOf = ({ charge }: RefusedTransfer) => charge?.subscriber ?? zeroAddress
  return [
    {
      action: 'revokeAllowance',
      trial: trialOf(caller, charges, ({ subscriber, subscription }) =>
        stepBy(subscriber, approveCall(subscription.token, contract, 0n, '')),
      ),
      told: (refusal) => ({
        by: subscriberOf(refusal),
        sentence:
          `the subscriber ${subscriberOf(refusal)} sets its allowance to 0 ` +
          `(approve of ${refusal.transfer.token}), and remit drops it`,
      }),
    },
    {
      action: 'unsubscribe',
      trial: trialOf(caller, charges, ({ subscriber, subscription }) =>
        stepBy(subscriber, protocolCall(contract, 'unsubscribe', [subscription], '')),
      ),
      told: (refusal) => ({
        by: subscriberOf(refusal),
        sentence: `the subscriber ${subscriberOf(refusal)} unsubscribes`,
      }),
    },
    {
      action: 'unsubscribeByProvider',
      trial: trialOf(caller, charges, ({ subscriber, subscription }) =>
        stepBy(
          subscription.provider,
          protocolCall(contract, 'unsubscribeByProvider', [subscription, subscriber], ''),
        ),
      ),
      told: (refusal) => ({
        by: providerOf(refusal),
        sentence: `the provider ${providerOf(refusal)} removes the subscriber with unsubscribeByProvider`,
      }),
    },
    {
      action: 'cancelSubscription',
      trial: trialOf(caller, charges, ({ subscription }) =>
        stepBy(subscription.provider, protocolCall(contract, 'cancelSubscription', [subscription], '')),
      ),
      told: (refusal) => ({
        by: providerOf(refusal),
        sentence: `the provider ${providerOf(refusal)} cancels the subscription for all of its subscribers (cancelSubscription)`,
      }),
    },
  ]
}

/** The ways out where a fee cannot be paid. */
function feeCandidates(chain: ChainView, { caller, backlog, refused }: Found): Candidate[] {
  const contract = chain.contractAddress
  const { admin } = backlog
  const isToOthers = refused.some(({ transfer }) => !isAddressEqual(transfer.to, caller))
  const receiver = protocolCall(contract, 'changeSysFeeReceiver', [SOMEBODY], '')
  return [
    {
      action: 'otherCaller',
      trial: { steps: [], caller: SOMEBODY },
      told: () => ({ by: null, sentence: `somebody else than ${caller} calls remit` }),
    },
    ...(isToOthers && admin !== zeroAddress
      ? [
          {
            action: 'changeSysFeeReceiver' as const,
            trial: { steps: [stepBy(admin, receiver)], caller },
            told: () => ({
              by: admin,
              sentence: `the protocol’s admin ${admin} names another receiver of the system’s part (changeSysFeeReceiver)`,
            }),
          },
        ]
      : []),
    ...sendCandidate(chain, { caller, backlog, refused }),
  ]
}

/** Somebody sends the contract the missing tokens. A wallet of the backlog that has enough stands in for them. */
function sendCandidate(chain: ChainView, { caller, backlog, refused }: Found): Candidate[] {
  const missing = new Map<Address, bigint>()
  for (const { transfer } of refused) {
    missing.set(transfer.token, (missing.get(transfer.token) ?? 0n) + transfer.amountRaw)
  }
  const steps = [...missing].flatMap(([token, amountRaw]) => {
    const payer = backlog.wallets.find(
      (wallet) => isAddressEqual(wallet.token, token) && wallet.balance >= amountRaw,
    )
    const args = [chain.contractAddress, amountRaw] as const
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args })
    return payer === undefined ? [] : [stepBy(payer.account, { to: token, data })]
  })
  if (steps.length < missing.size) return []
  const told = ({ transfer: { token } }: RefusedTransfer) => ({
    by: null,
    sentence: `somebody sends the contract what it lacks of ${token}, ${missing.get(token) ?? 0n} of its smallest unit at most`,
  })
  return [{ action: 'sendMissing', trial: { steps, caller }, told }]
}

function pauseCandidate(chain: ChainView, { caller, backlog, refused }: Found): Candidate[] {
  const { admin } = backlog
  if (admin === zeroAddress) return []
  const trial = trialOf(caller, refused, ({ transfer }) =>
    stepBy(admin, protocolCall(chain.contractAddress, 'pauseToken', [transfer.token, true], '')),
  )
  const told = ({ transfer }: RefusedTransfer) => ({
    by: admin,
    sentence: `the protocol’s admin ${admin} pauses the token ${transfer.token}, and its periods are lost (pauseToken)`,
  })
  return [{ action: 'pauseToken', trial, told }]
}

/** Each different step once, because charges can share an account, a subscription or a token. */
function trialOf<Subject>(
  caller: Address,
  subjects: readonly Subject[],
  step: (subject: Subject) => TrialStep,
): WayOutTrial {
  const steps = new Map<string, TrialStep>()
  for (const subject of subjects) {
    const made = step(subject)
    steps.set(`${made.from}:${made.to}:${made.data}`, made)
  }
  return { steps: [...steps.values()], caller }
}

function stepBy(from: Address, { to, data }: Pick<PlannedCall, 'to' | 'data'>): TrialStep {
  return { from, to, data }
}

/** The ways out of a refused transfer as a sentence. The facts beside it are `wayOutFacts`. */
export function wayOutSentence(waysOut: WaysOut, refused: RefusedTransfer): string {
  if (!waysOut.tried) {
    return waysOut.why === 'node'
      ? 'The node cannot simulate, so no way out was tried.'
      : 'It lies too far behind for a way out to be tried.'
  }
  const working = waysOut.ways.filter(({ works }) => works).map(({ told }) => told(refused).sentence)
  if (working.length > 0) return `Any of these helps, as a simulation has shown: ${working.join('; ')}.`
  const names = waysOut.ways.map(({ action }) => action).join(', ')
  return `No way out that was simulated helps (${names}).`
}

/** The ways out that work, as data: what to do, and who must; `waysOut` is null where none was tried. */
export function wayOutFacts(waysOut: WaysOut, refused: RefusedTransfer) {
  if (!waysOut.tried) return { waysOut: null }
  const working = waysOut.ways.filter(({ works }) => works)
  return { waysOut: working.map(({ action, told }) => ({ action, by: told(refused).by })) }
}
