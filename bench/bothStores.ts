import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore, type Store } from '../src/store/openStore.ts'
import { startInstalledPostgres } from '../test/support/stores/postgres.ts'

/** Measures over a new SQLite file, and over a new Postgres where that is installed. */
export async function overBothStores(measure: (name: string, store: Store) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'remit-bench-'))
  try {
    const store = await openStore(`file:${join(folder, 'index.db')}`)
    await measure('SQLite', store)
    await store.close()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }

  const server = await startInstalledPostgres()
  if (server === undefined) {
    process.stdout.write('Postgres is not installed: it is left out.\n')
    return
  }
  try {
    const store = await openStore(server.url('postgres'))
    await measure('Postgres (fsync off)', store)
    await store.close()
  } finally {
    await server.stop('SIGQUIT')
    rmSync(server.folder, { recursive: true, force: true })
  }
}
