import { sql, type Transaction } from 'kysely'
import { createHistory } from './migrations/0001History.ts'
import { createKeys } from './migrations/0002Keys.ts'
import { addReplacedKeys } from './migrations/0003ReplacedKeys.ts'
import { addPayments } from './migrations/0004Payments.ts'
import { createVerdicts } from './migrations/0005Verdicts.ts'
import { createNodeLimits } from './migrations/0006NodeLimits.ts'
import { addEventLog } from './migrations/0007Events.ts'
import { createWebhooks } from './migrations/0008Webhooks.ts'
import { createPortal } from './migrations/0009Portal.ts'
import { createTokenChecks } from './migrations/0010TokenChecks.ts'
import { addSessionChains } from './migrations/0011SessionChains.ts'
import { addContractSignatures } from './migrations/0012ContractSignatures.ts'
import { addKeyAccounts } from './migrations/0013KeyAccounts.ts'
import { createApprovals } from './migrations/0014Approvals.ts'
import { refuseHalfImports } from './migrations/0015NoImports.ts'
import { dropNodeLimits } from './migrations/0016NoNodeLimits.ts'
import { createLanes } from './migrations/0017Lanes.ts'
import { createProviderChecks } from './migrations/0018ProviderChecks.ts'
import { addSearch } from './migrations/0019Search.ts'
import { addSubscribers } from './migrations/0020Subscribers.ts'
import { addMemberPlaces } from './migrations/0021MemberPlaces.ts'
import { createRescues } from './migrations/0022Rescues.ts'
import { indexPublicRescues } from './migrations/0023PublicRescues.ts'
import { indexEndedMemberships } from './migrations/0024EndedMemberships.ts'
import { StoreError } from './StoreError.ts'
import type { StoreKind } from './storeKind.ts'
import type { Tables } from './tables.ts'

type Migration = (db: Transaction<Tables>) => Promise<void>

/** Version n of the schema is the first n of these. A released migration is never changed; new ones are added. */
const MIGRATIONS: readonly Migration[] = [
  createHistory,
  createKeys,
  addReplacedKeys,
  addPayments,
  createVerdicts,
  createNodeLimits,
  addEventLog,
  createWebhooks,
  createPortal,
  createTokenChecks,
  addSessionChains,
  addContractSignatures,
  addKeyAccounts,
  createApprovals,
  refuseHalfImports,
  dropNodeLimits,
  createLanes,
  createProviderChecks,
  addSearch,
  addSubscribers,
  addMemberPlaces,
  createRescues,
  indexPublicRescues,
  indexEndedMemberships,
]

/** The schema version that this release knows. */
export const SCHEMA_VERSION = MIGRATIONS.length

interface MigrateOptions {
  readonly migrations?: readonly Migration[]
  /** Called where another process migrates just now. */
  readonly onWait?: (() => void) | undefined
}

/** The number is arbitrary. Every process that migrates this schema takes the lock with it. */
const LOCK = 7_364_815

/**
 * Brings the schema up to date, in the given transaction and under a lock: of processes that start together, one
 * does it and the others wait. Writes nothing where it is up to date.
 * @throws StoreError if the schema is newer than this release
 */
export async function migrate(
  db: Transaction<Tables>,
  kind: StoreKind,
  { migrations = MIGRATIONS, onWait = () => {} }: MigrateOptions = {},
): Promise<void> {
  // Before anything is locked or written: a store that takes no writes, such as a replica, needs none of it.
  if ((await readVersion(db, kind, migrations)) === migrations.length) return
  if (kind === 'postgres') await lock(db, onWait)
  await sql`create table if not exists schema_versions (version integer primary key)`.execute(db)
  const version = await readVersion(db, kind, migrations)
  for (const [index, migration] of migrations.entries()) {
    if (index < version) continue
    await migration(db)
    await sql`insert into schema_versions (version) values (${index + 1})`.execute(db)
  }
}

/** 0 where there is no schema yet. Throws StoreError for one that is newer than these migrations. */
async function readVersion(
  db: Transaction<Tables>,
  kind: StoreKind,
  migrations: readonly Migration[],
): Promise<number> {
  const tables =
    kind === 'sqlite'
      ? sql`select 1 from sqlite_master where name = 'schema_versions'`
      : sql`select 1 where to_regclass('schema_versions') is not null`
  if ((await tables.execute(db)).rows.length === 0) return 0
  const { rows } = await sql<{ version: number | null }>`
    select max(version) as version from schema_versions`.execute(db)
  const version = rows[0]?.version ?? 0
  if (version > migrations.length) {
    throw new StoreError(
      `The store has schema version ${version}, and this release knows ${migrations.length}: run a newer release.`,
    )
  }
  return version
}

async function lock(db: Transaction<Tables>, onWait: () => void): Promise<void> {
  // An index over all rows of a large store takes minutes, and so does waiting for a process that makes it.
  await sql`set local statement_timeout = 0`.execute(db)
  const { rows } = await sql<{ taken: boolean }>`select pg_try_advisory_xact_lock(${LOCK}) as taken`.execute(
    db,
  )
  if (rows[0]?.taken) return
  onWait()
  await sql`select pg_advisory_xact_lock(${LOCK})`.execute(db)
}
