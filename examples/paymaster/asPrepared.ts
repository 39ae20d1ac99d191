import { createClient, NotReadyError, SimulationFailedError, type UnsignedTransaction } from '@remit/client'
import type { Address, Hex } from 'viem'
import type { Call } from './accountCalls.ts'
import { Refused } from './Refused.ts'

/** For how many payments the site lets a subscriber give the permission. */
const PERIODS = [12, 3, 6, 24]

/** The node that is asked, and the contract that is meant. */
export interface Ground {
  readonly node: string
  readonly chainId: number
  /** Where the chain is none that the client knows by itself. */
  readonly contracts: Readonly<Record<number, Address>>
}

/**
 * Throws Refused unless these are, to the byte, the calls that Remit's engine prepares for this wallet now: to subscribe to
 * the plan, with the permission that its rules come to and no other, or to leave it. The engine runs here, over one's own
 * node, and tries the calls out: what would revert is refused too.
 */
export async function assertAsPrepared(
  ground: Ground,
  plan: Hex,
  sender: Address,
  calls: readonly Call[],
): Promise<void> {
  // A client keeps the head of its node for a moment; a new one sees the wallet's last transaction.
  const client = createClient(ground)
  const wishes = PERIODS.flatMap((approvalPeriods) =>
    [false, true].map((keepCoverage) => ({ approvalPeriods, keepCoverage })),
  )
  const ways = [
    () => client.unsubscribe({ id: plan }).prepare(sender),
    ...wishes.map((wish) => () => client.subscribe({ id: plan, ...wish }).prepare(sender)),
  ]
  let why = 'these are not the calls that Remit prepares'
  for (const prepare of ways) {
    try {
      const { unsignedTransactions = [] } = await prepare()
      if (isSame(calls, unsignedTransactions)) return
    } catch (error) {
      // It cannot be done now: for nobody, or not in this way.
      if (!(error instanceof NotReadyError || error instanceof SimulationFailedError)) throw error
      why = error.message
    }
  }
  throw new Refused(why)
}

function isSame(calls: readonly Call[], prepared: readonly UnsignedTransaction[]): boolean {
  return (
    calls.length === prepared.length &&
    prepared.every(({ to, data }, index) => {
      const call = calls[index]
      return call?.to === to && call.data === data.toLowerCase() && call.value === 0n
    })
  )
}
