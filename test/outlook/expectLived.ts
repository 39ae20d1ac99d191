import { type Address, getAddress } from 'viem'
import { expect } from 'vitest'
import type { World } from '../differential/world.ts'
import type { Happened, Life } from './live.ts'
import type { TestedCharge, TestedOutlook, TestedSimulation, Told } from './outlooksOf.ts'

/**
 * Compares outlooks with what the contract did, and with what its simulation without moving the chain said. There is no
 * tolerance.
 *
 * A wallet that receives money of a token is told the truth only as far as it comes to that: money still to come in is
 * not counted. From the first transfer on, its charges in that token are left out.
 */
export function expectLived(
  world: World,
  { outlooks, simulation }: Told,
  life: Life,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const [account, outlook] of outlooks) {
    const happened = life.happened.filter((row) => getAddress(row.account) === account)
    const tokens = new Set([
      ...outlook.charges.map(({ token }) => token),
      ...happened.map(({ token }) => token),
    ])
    for (const token of tokens) {
      // Behind the calls that were simulated, nobody knows what a token takes beside what it is asked for.
      const isTold = ({ day }: { readonly day: number }) =>
        !world.tokenAt(getAddress(token)).takesMore ||
        (day <= (outlook.remit.seen.through ?? 0) && isSimulated(simulation, day))
      const own = outlook.charges.filter((charge) => charge.token === token).filter(isTold)
      for (const charge of own) count(charge)
      if (own.some(({ taken, amountRaw }) => taken > amountRaw))
        counts.set('takes more', (counts.get('takes more') ?? 0) + 1)
      const ownHappened = happened.filter((row) => row.token === token).filter(isTold)
      expectToken(world, own, { happened: ownHappened, remit: outlook.remit })
      const compared = expectSimulated(own, { account, token, happened: ownHappened, simulation, isTold })
      if (compared > 0) counts.set('simulated', (counts.get('simulated') ?? 0) + compared)
    }
    expectDays(outlook, life)
  }
  return counts

  function count({ verdict, failsBy, blockedBy, skippedBecause }: TestedCharge): void {
    const key = [verdict, failsBy ?? blockedBy ?? skippedBecause ?? []].flat().join(' ')
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
}

function expectToken(
  world: World,
  charges: readonly TestedCharge[],
  { happened, remit }: { happened: readonly Happened[]; remit: TestedOutlook['remit'] },
): void {
  const made = charges.filter(({ verdict }) => verdict === 'pays' || verdict === 'fails')
  const received = happened.findIndex(({ hasReceived }) => hasReceived)
  const counted = received < 0 ? happened : happened.slice(0, received)
  const predicted = received < 0 ? made : made.slice(0, received)
  const told = predicted.map((charge) => toldRow(world, charge))
  const lived = counted.map((row) => happenedRow(world, row))
  // Behind what was simulated, charges are told as if no page break skipped any. From the first that one skips, they differ.
  const { stop, seen } = remit
  const skipped = predicted.findIndex(
    ({ day, subscriptionId }, place) =>
      told[place] !== lived[place] &&
      stop === null &&
      day > (seen.through ?? day) &&
      !counted.some((row) => row.day === day && row.subscriptionId === subscriptionId),
  )
  const compared = skipped < 0 ? undefined : skipped
  expect(told.slice(0, compared)).toEqual(lived.slice(0, compared))
}

/**
 * Day by day the same charges pay and fail in the simulation, in the same order. Where it ran out of calls or of gas, the
 * days behind are left out.
 * @returns how many charges were compared
 */
function expectSimulated(
  charges: readonly TestedCharge[],
  of: {
    account: Address
    token: string
    happened: readonly Happened[]
    simulation: TestedSimulation
    isTold: (row: { readonly day: number }) => boolean
  },
): number {
  const { account, token, happened, simulation, isTold } = of
  const { calls } = simulation
  const received = happened.findIndex(({ hasReceived }) => hasReceived)
  const told = charges.filter(({ verdict }) => verdict === 'pays' || verdict === 'fails')
  const counted = (received < 0 ? told : told.slice(0, received)).filter(({ day }) =>
    isSimulated(simulation, day),
  )
  const simulated = calls.flatMap(({ dayNumber, charges: all }) =>
    all
      .filter((charge) => getAddress(charge.subscriber) === account && getAddress(charge.token) === token)
      .map(({ subscriptionId, outcome }) => ({ day: dayNumber, subscriptionId, verdict: outcome })),
  )
  const seen = simulated.filter(({ day }) => isSimulated(simulation, day)).filter(isTold)
  expect(received < 0 ? seen : seen.slice(0, received)).toEqual(
    counted.map(({ day, subscriptionId, verdict }) => ({ day, subscriptionId, verdict })),
  )
  return counted.length
}

/** Whether a simulation of remit has come to this day. It ends where it runs out of calls or of gas. */
function isSimulated({ unfinished }: TestedSimulation, day: number): boolean {
  return unfinished === null || unfinished.because === 'reverted' || day < unfinished.from
}

/**
 * What waits is not charged by the last day, and what is skipped lies behind remit. Where nothing else is due, remit passes
 * the day of a page break only later, with the next day on which something is.
 */
function expectDays({ charges, remit, through }: TestedOutlook, life: Life): void {
  for (const { verdict, skippedBecause, day } of charges) {
    if (verdict === 'waits') expect(day).toBeGreaterThanOrEqual(life.nextUncheckedDay)
    else if (skippedBecause === 'pageBreak' && life.refusal === '6') continue
    else if (remit.stop === null || day < remit.stop.day) expect(day).toBeLessThan(life.nextUncheckedDay)
  }
  if (remit.stop === null) {
    if (charges.some(({ verdict }) => verdict !== 'skipped')) expect(life.refusal).toBe('6')
  } else {
    expect(life.refusal).not.toBe('6')
    expect(remit.stop.day).toBeGreaterThanOrEqual(life.nextUncheckedDay)
  }
  expect(remit.seen.through ?? through).toBeLessThanOrEqual(through)
}

function toldRow(world: World, { day, subscriptionId, verdict, taken, failsBy, missing }: TestedCharge) {
  const lack =
    missing === null ? '' : ` by ${failsBy}: ${missing.allowance} and ${missing.balance} are missing`
  return `${day} ${world.nameOf(subscriptionId)} ${verdict} ${taken}${lack}`
}

function happenedRow(world: World, happened: Happened) {
  const { day, subscriptionId, verdict, taken } = happened
  const row = `${day} ${world.nameOf(subscriptionId)} ${verdict} ${taken}`
  const lack = lackOf(world, happened)
  if (lack === undefined) return row
  return `${row} by ${lack.why}: ${lack.allowance} and ${lack.balance} are missing`
}

/** What was short for a charge that failed, in the token's smallest unit. */
export function lackOf(world: World, { subscriptionId, token, held }: Happened) {
  if (held === null) return undefined
  const { decimals } = world.tokenAt(token)
  const terms = world.subscriptions.find(({ id }) => id === subscriptionId)
  const full = (terms?.amount ?? 0n) / 10n ** BigInt(18 - decimals)
  const lacking = (means: bigint) => (means < full ? full - means : 0n)
  const [allowance, balance] = [lacking(held.allowance), lacking(held.balance)]
  const why = allowance > 0n ? (balance > 0n ? 'both' : 'allowance') : 'balance'
  return { why, allowance, balance } as const
}
