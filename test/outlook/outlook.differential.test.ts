import type { Address } from 'viem'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Random, randomOf } from '../differential/random.ts'
import { openWorld } from '../differential/world.ts'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { trials, trialsTimeoutMs } from '../support/runner/trials.ts'
import { expectEnough } from './expectEnough.ts'
import { expectKept } from './expectKept.ts'
import { expectLived } from './expectLived.ts'
import { beginLife, payersIn, someStep } from './frozenStates.ts'
import { live } from './live.ts'
import { openOutlooks, type TestedOutlook } from './outlooksOf.ts'

/** States of one random life. Each differs from the one before by some steps. */
const STATES = 12
/** Three lives that together show every verdict. */
const FEW = [7, 22, 24]
const lives = trials({ short: FEW.length, nightly: 500 })
/** `OUTLOOK_SEEDS=7,8` for those that failed. */
const chosen = process.env.OUTLOOK_SEEDS?.split(',').map(Number)
const seeds = chosen ?? (lives > FEW.length ? Array.from({ length: lives }, (_, index) => index + 1) : FEW)

const chain = await useTestChain({ terms: { maxRemits: 3n } })
const world = await openWorld(chain, { takesMore: true })
await chain.keep()

/** How often each verdict was told, over all lives. */
const verdicts = new Map<string, number>()
afterAll(() => {
  if (process.env.OUTLOOK_SHOW) console.log(Object.fromEntries([...verdicts].sort()))
})

describe('an outlook is what the contract then does, payer by payer, day by day, reason by reason', () => {
  it.each(seeds)(
    `in ${STATES} states of the random life %i`,
    async (seed) => {
      const random = randomOf(seed)
      const trace: string[] = []
      await beginLife(world, random)
      // A new one for each life: the chain has gone back to where it began.
      const outlooks = openOutlooks(world)
      onTestFinished(outlooks.close)
      for (let state = 0; state < STATES; state += 1) {
        try {
          for (let steps = 3 + random.below(4); steps > 0; steps -= 1) {
            trace.push(`     ${await someStep(world, random)}`)
          }
          trace.push(`${String(state).padStart(4)} ${await lookAndLive(outlooks, random)}`)
        } catch (error) {
          throw new Error(`life ${seed}, state ${state}:\n${trace.slice(-60).join('\n')}\n`, { cause: error })
        }
      }
    },
    trialsTimeoutMs(60_000),
  )

  it.skipIf(chosen)('with every verdict there is', () => {
    const all = [
      'simulated',
      'pays',
      'fails allowance',
      'fails balance',
      'fails both',
      'waits transfer',
      'waits paging',
    ]
    const seen = [...verdicts.keys()]
    expect(seen).toEqual(expect.arrayContaining([...all, 'skipped pageBreak', 'skipped tokenPaused']))
    expect(seen).toEqual(
      expect.arrayContaining(['takes more', 'enough', 'enough in two tokens', 'least', 'kept']),
    )
  })
})

/** Three of them: each costs a walk of its own, and the others are told the same of remit. */
function somePayers(random: Random): Address[] {
  const left = [...payersIn(world)]
  return [0, 1, 2].flatMap(() => left.splice(random.below(left.length), 1))
}

/** In how many tokens a wallet has too little. */
function shortIn({ wallet }: TestedOutlook): number {
  return wallet.tokens.filter(({ toAdd }) => toAdd.allowance > 0n || toAdd.balance > 0n).length
}

/** Asks for outlooks, lets the days pass, compares, and puts the chain back. */
async function lookAndLive(outlooks: ReturnType<typeof openOutlooks>, random: Random): Promise<string> {
  const days = random.oneIn(20) ? 1 + random.below(60) : 1 + random.below(9)
  const told = await outlooks.ask(somePayers(random), days)
  const life = await world.aside(() => live(world, { days, perDay: 3, isAudited: random.oneIn(4) }))
  world.remitRefusal = life.refusal === '6' ? [] : ['REMIT_STALLED']
  const counts = new Map(expectLived(world, told, life))
  const short = [...told.outlooks].toSorted(([, one], [, other]) => shortIn(other) - shortIn(one))[0]
  const more =
    short !== undefined && shortIn(short[1]) > 0 && random.oneIn(2)
      ? await expectEnough(world, random, { account: short[0], outlook: short[1], days })
      : random.oneIn(2)
        ? await expectKept(world, random, outlooks)
        : undefined
  if (more !== undefined) counts.set(more, 1)
  for (const [verdict, count] of counts) verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + count)
  return `${days} days, ${life.refusal}: ${JSON.stringify(Object.fromEntries(counts))}`
}
