import { forking, mining, perform } from '@remit/testing/support/history/chainActs'
import { LogFollower } from '@remit/testing/support/history/LogFollower'
import { modelEvents } from '@remit/testing/support/history/modelEvents'
import { ProjectionDriver } from '@remit/testing/support/history/ProjectionDriver'
import { SyntheticChain } from '@remit/testing/support/history/SyntheticChain'
import { trials, trialsTimeoutMs } from '@remit/testing/support/runner/trials'
import { describeStores } from '@remit/testing/support/stores/describeStores'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createProjection } from '../createProjection.ts'

const act = fc.oneof({ weight: 3, arbitrary: mining }, { weight: 2, arbitrary: forking(60) })
const way = fc.array(
  fc.record({ act, most: fc.integer({ min: 0, max: 4 }), begins: fc.integer({ min: 0, max: 15 }) }),
  { minLength: 1, maxLength: 25 },
)
let chainIds = 500_000

describeStores('who follows a log of events', (stores) => {
  it(
    'knows exactly what stands in the end, each once, whatever was reorganised or indexed anew on the way',
    async () => {
      await fc.assert(
        fc.asyncProperty(way, async (steps) => {
          const chain = new SyntheticChain()
          chainIds += 1
          const projection = createProjection(stores.store)
          const driver = new ProjectionDriver(projection, chain, chainIds)
          const follower = new LogFollower(async (query) => {
            const page = await projection.readLog(driver.chainId, query)
            if (page === undefined) throw new Error('the chain has no log')
            return page
          })
          await driver.lease()
          for (const { act, most, begins } of steps) {
            perform(chain, act)
            if (most === 0) continue
            // Now and then an index begins anew, as after a repair.
            if (begins === 0) await projection.empty(await driver.lease(), chain.origin, 'rpc')
            await driver.step(most)
            await follower.catchUp()
          }
          // What an index that began anew had told of higher blocks is compared once the chain comes there: above all
          // that the acts can have made.
          for (let block = 0; block < 150; block += 1) chain.mine([])
          await driver.catchUp()
          await follower.catchUp()
          const told = follower.events.map(({ block, logIndex, type }) => `${block.hash} ${logIndex} ${type}`)
          expect(told.toSorted()).toEqual(modelEvents(chain).toSorted())
        }),
        { numRuns: trials({ short: 25, nightly: 2_000 }) },
      )
    },
    trialsTimeoutMs(60_000),
  )
})
