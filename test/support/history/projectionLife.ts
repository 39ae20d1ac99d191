import type { HistoryQueries } from '@remit/engine/ports/history'
import { createProjection } from '@remit/service/testing/history/projection/createProjection'
import { beforeEach } from 'vitest'
import type { StoreForTests } from '../stores/describeStores.ts'
import { ProjectionDriver } from './ProjectionDriver.ts'
import { type LooseEvent, SyntheticChain } from './SyntheticChain.ts'

let chainIds = 0

/** A chain of its own for each test of a suite, and the projection that follows it into the suite's store. */
export function useProjectionLife(stores: StoreForTests) {
  let chain: SyntheticChain
  let driver: ProjectionDriver
  beforeEach(() => {
    chain = new SyntheticChain()
    chainIds += 1
    driver = new ProjectionDriver(createProjection(stores.store), chain, chainIds)
  })
  return {
    get chain() {
      return chain
    },
    get driver() {
      return driver
    },
    /** Mines each list as a block and steps over it. */
    async live(...blocks: LooseEvent[][]): Promise<void> {
      for (const events of blocks) {
        chain.mine(events)
        await driver.step()
      }
    },
    /** What one snapshot of the projection answers. */
    async ask<Rows>(use: (queries: HistoryQueries) => Promise<Rows>): Promise<Rows> {
      const found = await createProjection(stores.store).snapshot(driver.chainId, use)
      if (found === undefined) throw new Error('the chain has no row')
      return found.rows
    },
  }
}
