import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from '@remit/service/testing/store/openStore'
import { openStore } from '@remit/service/testing/store/openStore'
import { afterAll, beforeAll, describe, inject } from 'vitest'
import { postgresIsInstalled, usePostgres } from './postgres.ts'

export interface StoreForTests {
  /** One store for all tests of the suite. */
  readonly store: Store
  readonly url: string
  /** Opens it once more, as another process would. */
  open(): Promise<Store>
}

declare module 'vitest' {
  interface ProvidedContext {
    /** Over which store the suites of this run are. */
    store: 'sqlite' | 'postgres'
  }
}

/** One suite for both stores: `npm test` runs it over SQLite, and the long run over Postgres. */
export function describeStores(what: string, suite: (stores: StoreForTests) => void): void {
  if (inject('store') === 'sqlite') {
    describe(`${what}, in SQLite`, () => {
      const folder = mkdtempSync(join(tmpdir(), 'remit-projection-'))
      afterAll(() => rmSync(folder, { recursive: true, force: true }))
      suite(useStore(async () => `file:${join(folder, 'store.db')}`))
    })
    return
  }
  describe.skipIf(!postgresIsInstalled)(`${what}, in Postgres`, () => {
    const postgres = usePostgres()
    suite(useStore(() => postgres.createDatabase()))
  })
}

function useStore(createUrl: () => Promise<string>): StoreForTests {
  let url = ''
  const opened: Store[] = []
  const open = async () => {
    const store = await openStore(url)
    opened.push(store)
    return store
  }
  beforeAll(async () => {
    url = await createUrl()
    await open()
  })
  afterAll(async () => {
    for (const store of opened) await store.close()
  })
  return {
    get url() {
      return url
    },
    get store() {
      const [store] = opened
      if (store === undefined) throw new Error('the store is open only while tests run')
      return store
    },
    open,
  }
}
