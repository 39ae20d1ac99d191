import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Subscriptions } from '@remit/contracts/Subscriptions'
import { TestToken } from '@remit/contracts/TestToken'
import { callOf } from '@remit/devchain/testing/chain/block'
import { EVENT_TYPES, type EventType } from '@remit/engine/ports/events'
import type { Examples } from '@remit/service/testing/surfaces/openapi/examples'
import * as z from 'zod'
import { reorganise } from '../support/chain/reorganise.ts'
import { type ExampleChain, startExampleChain } from './exampleChain.ts'
import { startExampleService } from './exampleService.ts'
import { seen } from './seen.ts'

const Recorded = z.record(z.string(), z.json())
const About = z.object({ type: z.string(), subject: z.object({ account: z.string().nullable() }) })
const Page = z.object({ events: z.array(Recorded), hasMore: z.boolean(), next: z.number() })

const MOST_WAIT_MS = 15_000
/** It carries what is overdue and a few days more. */
const LITTLE_ALLOWANCE = 40_000_000n
const ENOUGH = 1_000_000_000n

/**
 * Records one event of each type: what two services with one store tell, one after the other, over the example chain. What is
 * told of charges to come is about one subscriber, who allows too little, and then enough.
 *
 * Throws, naming them, where types have not come about within 15 s.
 */
export async function recordEvents(): Promise<Examples['events']> {
  const folder = mkdtempSync(join(tmpdir(), 'remit-example-events-'))
  const chain = await startExampleChain()
  try {
    const environment = { DATABASE_URL: `file:${join(folder, 'remit.db')}`, SWEEP_REQUESTS_PER_HOUR: '10000' }
    const { allow, pauseDai, subscribe, edit } = actsOn(chain)
    await chain.mine(allow(LITTLE_ALLOWANCE), pauseDai(true))
    const first = await startExampleService(chain, environment)
    await heard(first, ['token.paused', 'coverage.ending', 'payment.at_risk']).finally(first.close)
    // An event of the subscriber has the sweep look at it again.
    await chain.mine(allow(ENOUGH), pauseDai(false), subscribe())
    await chain.mine(edit())
    const second = await startExampleService(chain, environment)
    try {
      await heard(second, ['token.resumed', 'remit.behind', 'payment.safe_again'])
      await reorganise(chain.client, 1, [])
      await chain.mine()
      // How sure events are depends on the block that the index stands at.
      await seen(second, chain)
      const log = await heard(second, EVENT_TYPES)
      const { ben } = chain.wallets
      const ofType = (type: string) => log.filter((event) => About.parse(event).type === type)
      const isBens = (event: z.output<typeof Recorded>) => About.parse(event).subject.account === ben
      return Object.fromEntries(
        EVENT_TYPES.flatMap((type) => {
          const events = ofType(type)
          const event = events.find(isBens) ?? events[0]
          return event === undefined ? [] : [[type, event]]
        }),
      )
    } finally {
      await second.close()
    }
  } finally {
    await chain.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

function actsOn({ contract, tokens, wallets, cast }: ExampleChain) {
  const { admin, ben } = wallets
  const target = { address: contract, abi: Subscriptions.abi }
  const usdc = { address: tokens.usdc, abi: TestToken.abi }
  const { provider, details, id } = cast.coffeeWeekly
  return {
    allow: (amount: bigint) => callOf(ben, usdc, 'approve', [contract, amount]),
    pauseDai: (paused: boolean) => callOf(admin, target, 'pauseToken', [tokens.dai, paused]),
    subscribe: () => callOf(ben, target, 'subscribe', [cast.newsMonthly]),
    edit: () => callOf(provider, target, 'editDetails', [details, id]),
  }
}

/** The whole log, once it has an event of each of these types. */
async function heard(
  { fetch }: Pick<Awaited<ReturnType<typeof startExampleService>>, 'fetch'>,
  types: readonly EventType[],
) {
  const log: z.output<typeof Recorded>[] = []
  const deadline = performance.now() + MOST_WAIT_MS
  let after = 0
  for (;;) {
    const { data: page } = Page.safeParse((await fetch(`/events?first=100&after=${after}`)).body)
    log.push(...(page?.events ?? []))
    after = page?.next ?? after
    const missing = types.filter((type) => !log.some((event) => event.type === type))
    if (missing.length === 0 && page?.hasMore === false) return log
    if (performance.now() > deadline) throw new Error(`Nothing has told ${missing.join(', ')} within 15 s`)
    await sleep(20)
  }
}
