/** The flow that carries several signed permits at once. It is loaded when it is used (`signedFlows.ts`). */

import { permitAbi } from '@remit/protocol/signed/tokenAbis'
import { formatUnits } from 'viem'
import type { CallOptions } from '../../call/CallOptions.ts'
import { RemitError } from '../../errors/RemitError.ts'
import type { Api, PrepareCarryPermitAnswer } from '../../generated/api.ts'
import type { Sender } from '../check/prepareHere.ts'
import { CallsFailedError, TransactionRevertedError, WouldRevertError } from '../errors.ts'
import { createFlow, readinessIn } from '../flows/Flow.ts'
import type { FlowDefinition } from '../send/FlowDefinition.ts'
import { carryInput } from './carry.ts'
import type {
  CarryPermitsFlow,
  CarryPermitsRequest,
  PermitsCarried,
  PermitsReadiness,
  PreparedCarries,
  SignedPermit,
} from './SignedPermit.ts'

/** Asks for each permit. Those that can be carried or were already have answers; the void ones are left out. Throws if all are void. */
async function askForEach<Answer>(
  permits: readonly SignedPermit[],
  ask: (signed: SignedPermit) => Promise<Answer>,
): Promise<{ readonly answers: readonly Answer[]; readonly leftOut: readonly SignedPermit[] }> {
  const answers: Answer[] = []
  const leftOut: SignedPermit[] = []
  /** Why the first void one is void. */
  let flaw: unknown
  for (const signed of permits) {
    try {
      answers.push(await ask(signed))
    } catch (error) {
      if (!(error instanceof RemitError) || error.code !== 'PERMIT_VOID') throw error
      flaw ??= error
      leftOut.push(signed)
    }
  }
  if (answers.length === 0) throw flaw
  return { answers, leftOut }
}

async function prepareAll(
  permits: readonly SignedPermit[],
  ask: (signed: SignedPermit) => Promise<PrepareCarryPermitAnswer>,
): Promise<PreparedCarries> {
  const { answers, leftOut } = await askForEach(permits, ask)
  const [first] = answers
  if (first === undefined) throw new TypeError('There is no permit to carry')
  const { chainId, asOf } = first
  const untils = answers.flatMap(({ validUntil }) => (validUntil === undefined ? [] : [validUntil]))
  const costWei = answers.reduce((sum, { gasSummary }) => sum + (gasSummary?.totalEstimatedCostWei ?? 0n), 0n)
  return {
    chainId,
    asOf,
    warnings: answers.flatMap(({ warnings }) => warnings),
    unsignedTransactions: answers.flatMap(({ unsignedTransactions = [] }) => unsignedTransactions),
    ...(untils.length > 0 && { validUntil: Math.min(...untils) }),
    gasSummary: { totalEstimatedCostEth: formatUnits(costWei, 18) },
    carried: answers.flatMap(({ preflight }) => (preflight === undefined ? [] : [preflight])),
    left: leftOut,
  }
}

function defineCarryPermits(
  api: Api,
  permits: readonly SignedPermit[],
): FlowDefinition<PreparedCarries, PermitsCarried, PermitsReadiness> {
  return {
    async readiness(from, options: CallOptions) {
      const { answers, leftOut } = await askForEach(permits, (signed) =>
        readinessIn(api.prepareCarryPermit({ ...carryInput(signed), from, readinessOnly: true }, options)),
      )
      return {
        chainId: chainOf(permits),
        ready: answers.every(({ ready }) => ready),
        permits: answers,
        left: leftOut,
      }
    },
    prepare: (from, options) =>
      prepareAll(permits, (signed) => api.prepareCarryPermit({ ...carryInput(signed), from }, options)),
    abi: permitAbi,
    isDone: ({ carried }) => carried.every(({ alreadyCarried }) => alreadyCarried),
    conclusion: async ({ reads }, prepared) => ({
      conclude: async () => ({
        permits: await Promise.all(
          permits
            .filter((signed) => prepared?.left.includes(signed) !== true)
            .map(async ({ token, owner }) => ({
              token,
              owner,
              allowanceRaw: await reads.allowance(token, owner).catch(() => null),
            })),
        ),
        left: prepared?.left ?? [],
      }),
    }),
  }
}

/** Throws TypeError where there is none, or they are of several chains. */
function chainOf(permits: readonly SignedPermit[]): number {
  const [chainId, another] = new Set(permits.map((signed) => signed.chainId))
  if (chainId === undefined || another !== undefined) {
    throw new TypeError('The permits must be one at least, and of one chain')
  }
  return chainId
}

/** What has become void since somebody looked at them is left out: the others do not wait for it. */
export function carryPermits(sender: Sender, { permits }: CarryPermitsRequest): CarryPermitsFlow {
  const flow = createFlow(sender, {
    chainId: chainOf(permits),
    on: (api) => defineCarryPermits(api, permits),
  })
  return {
    ...flow,
    async send(wallet, options) {
      // Its owner has signed each of them, and no more is sent than was asked for: fewer than were shown is fine.
      const { prepared: _, ...how } = options ?? {}
      try {
        return await flow.send(wallet, how)
      } catch (error) {
        const mayBeOvertaken =
          error instanceof WouldRevertError ||
          error instanceof TransactionRevertedError ||
          error instanceof CallsFailedError
        if (!mayBeOvertaken) throw error
        // One was carried by somebody else, or became void, just now.
        return flow.send(wallet, how)
      }
    },
  }
}
