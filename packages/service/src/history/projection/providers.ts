import {
  DOMAIN_OUTCOMES,
  type DomainCheck,
  type DomainOutcome,
  type ProviderCheck,
} from '@remit/engine/ports/providerChecks'
import { type Selectable, sql, type Transaction } from 'kysely'
import { type Address, getAddress } from 'viem'
import type { ProfileLogsTable, ProviderChecksTable } from '../../store/indexTables.ts'
import type { Queries, Store } from '../../store/openStore.ts'
import type { Tables } from '../../store/tables.ts'
import type { ProfilePlace, ProviderFinding, ProviderStore } from '../projection.ts'
import { domainName } from '../providers/domainProof.ts'
import { inChunks } from './columns.ts'
import { lockIndexAtBlock } from './lockIndexAtBlock.ts'
import { newestProfiles } from './queries/logScans.ts'
import type { StepRows } from './step/stepRows.ts'

// The rows of `provider_checks`: what look-ups have found of a provider's domain and on-chain name. In order: the port of
// `ProviderLookups`, which looks them up; what answers say of them; how a step or a rollback makes providers due.
// A plan is a subscription as its provider offers it. A provider states a domain in its profile. The domain is SIGNED, or proven, once a
// DNS record of it is found that the provider signed.

type CheckRow = Selectable<ProviderChecksTable>
type ProfileRow = Selectable<ProfileLogsTable>

/** Seconds. */
const DAY = 86_400
/** Seconds for which a proven domain counts, and an on-chain name. An older one is due long since, so the look-ups must have stopped. */
export const DOMAIN_LASTS = DAY
const CHAIN_NAME_LASTS = 2 * DAY

/** The port of `ProviderLookups`. */
export function providerStore(store: Store): ProviderStore {
  return {
    async dueProviders(chainId, now, first) {
      const rows = await store.db
        .selectFrom('provider_checks')
        .selectAll()
        .where('chain_id', '=', chainId)
        .where('due_at', '<=', now)
        // First those that are about to lose a proven domain for lack of a look-up: a thousand new profiles must not delay these.
        // They come first only in the second half of the time for which the proof counts, so that the others have their turn too.
        .orderBy(
          sql`case when outcome = 'SIGNED' and checked_at <= ${now - DOMAIN_LASTS / 2} then 0 else 1 end`,
        )
        .orderBy('due_at')
        .orderBy('provider')
        .limit(first)
        .execute()
      const profiles = await profilesOf(store.db, chainId, rows)
      return rows.map((row) => {
        const profile = profiles.get(row.provider)
        const isSigned = row.outcome === 'SIGNED' && isAboutProfile(row, profile)
        return {
          provider: getAddress(row.provider),
          profile: profile && placeOf(profile),
          signedAt: isSigned ? (row.checked_at ?? undefined) : undefined,
          tries: row.tries,
        }
      })
    },

    async countDue(chainId, now) {
      const row = await store.db
        .selectFrom('provider_checks')
        .select((count) => count.fn.countAll<number>().as('due'))
        .where('chain_id', '=', chainId)
        .where('due_at', '<=', now)
        .executeTakeFirstOrThrow()
      return Number(row.due)
    },

    writeFinding: (lease, block, finding) =>
      store.transaction(async (db) => {
        const { chainId } = lease
        const provider = finding.provider.toLowerCase()
        if ((await lockIndexAtBlock(db, lease, block)) === undefined) return
        const [newest] = await newestProfiles(db, chainId, [provider])
        // Another profile was published meanwhile.
        if (!isSame(finding.profile, newest)) return
        await db
          .updateTable('provider_checks')
          .set(columnsOf(finding))
          .where('chain_id', '=', chainId)
          .where('provider', '=', provider)
          .execute()
        await db
          .updateTable('index_chains')
          .set((row) => ({ providers_checked: row('providers_checked', '+', 1) }))
          .where('chain_id', '=', chainId)
          .execute()
      }),
  }
}

/** What answers say of these providers; nothing of those that have no row. @param nowMs unix milliseconds of the wall clock */
export async function readProviderChecks(
  db: Queries,
  chainId: number,
  providers: readonly Address[],
  nowMs: number,
): Promise<ReadonlyMap<Address, ProviderCheck>> {
  if (providers.length === 0) return new Map()
  const keys = providers.map((provider) => provider.toLowerCase())
  const checks = db.selectFrom('provider_checks').selectAll().where('chain_id', '=', chainId)
  const rows = await checks.where('provider', 'in', keys).execute()
  const profiles = await profilesOf(db, chainId, rows)
  const now = Math.floor(nowMs / 1_000)
  return new Map(
    rows.map((row) => {
      const chainName = row.named_at !== null && row.named_at + CHAIN_NAME_LASTS > now ? row.chain_name : null
      return [
        getAddress(row.provider),
        { domain: domainCheck(row, profiles.get(row.provider), now), chainName },
      ]
    }),
  )
}

/** `null` where the provider states no domain. */
function domainCheck(row: CheckRow, profile: ProfileRow | undefined, now: number): DomainCheck | null {
  if (profile === undefined || profile.domain.trim() === '') return null
  const name = domainName(profile.domain) ?? null
  if (name === null) return { name, outcome: 'NOT_A_DOMAIN', checkedAt: null }
  const { outcome, checked_at: checkedAt } = row
  // The row is about an older profile, or nothing was looked up yet.
  if (!isAboutProfile(row, profile) || row.domain !== name || !isOutcome(outcome) || checkedAt === null) {
    return { name, outcome: 'NOT_LOOKED_UP', checkedAt: null }
  }
  const isOld = outcome === 'SIGNED' && checkedAt + DOMAIN_LASTS <= now
  return { name, outcome: isOld ? 'OUTDATED' : outcome, checkedAt }
}

function isOutcome(text: string | null): text is DomainOutcome {
  return text !== null && Object.hasOwn(DOMAIN_OUTCOMES, text)
}

async function profilesOf(db: Queries, chainId: number, rows: readonly CheckRow[]) {
  const providers = rows.map(({ provider }) => provider)
  const profiles = await newestProfiles(db, chainId, providers)
  return new Map(profiles.map((profile) => [profile.provider, profile]))
}

function placeOf({ block_number: blockNumber, log_index: logIndex, domain }: ProfileRow): ProfilePlace {
  return { blockNumber, logIndex, domain }
}

/** Whether a row was found for this profile. */
function isAboutProfile(row: CheckRow, profile: ProfileRow | undefined): boolean {
  return (
    row.profile_block === (profile?.block_number ?? null) &&
    row.profile_log_index === (profile?.log_index ?? null)
  )
}

function isSame(profile: ProfilePlace | undefined, newest: ProfileRow | undefined): boolean {
  return (
    profile?.blockNumber === newest?.block_number &&
    profile?.logIndex === newest?.log_index &&
    profile?.domain === newest?.domain
  )
}

function columnsOf({ profile, domain, tries, chainName, foundAt, dueAt }: ProviderFinding) {
  return {
    due_at: dueAt,
    tries,
    profile_block: profile?.blockNumber ?? null,
    profile_log_index: profile?.logIndex ?? null,
    domain: domain?.name ?? null,
    outcome: domain?.outcome ?? null,
    checked_at: domain?.checkedAt ?? null,
    ...(chainName === undefined ? {} : { chain_name: chainName, named_at: foundAt }),
  }
}

/** Least seconds between two look-ups of a provider, even if it publishes a profile in every block. */
const LEAST_BETWEEN = 60

type Db = Transaction<Tables>
type Named = readonly { readonly provider: string }[]

/** Makes the providers due whose profile or first plan is in a step. A new profile starts the count of tries anew. */
export async function queueLookups(
  db: Db,
  chainId: number,
  { profileLogs, subscriptions }: Pick<StepRows, 'profileLogs' | 'subscriptions'>,
): Promise<void> {
  await inChunks(unique(subscriptions), (chunk) => insertDue(db, chainId, chunk))
  const changed = unique(profileLogs)
  await inChunks(changed, (chunk) => insertDue(db, chainId, chunk))
  await inChunks(changed, (chunk) =>
    db
      .updateTable('provider_checks')
      .set({ tries: 0, due_at: sql<number>`coalesce(checked_at + ${LEAST_BETWEEN}, 0)` })
      .where('chain_id', '=', chainId)
      .where('provider', 'in', chunk)
      .execute(),
  )
}

/** After a rollback: of those whose profiles or plans are gone, forgets what was found, and makes those due who have any left. */
export async function deriveProviders(db: Db, chainId: number, lost: Named): Promise<void> {
  await inChunks(unique(lost), async (chunk) => {
    await db
      .deleteFrom('provider_checks')
      .where('chain_id', '=', chainId)
      .where('provider', 'in', chunk)
      .execute()
    const remaining: string[] = []
    for (const provider of chunk) {
      // One by one, so that the database takes its index by provider. `cancelled in (0, 1)` excludes nothing, but is part of that index.
      const { rows } = await sql`select 1 where
        exists (select 1 from profile_logs where chain_id = ${chainId} and provider = ${provider})
        or exists (select 1 from subscriptions where chain_id = ${chainId} and provider = ${provider}
          and cancelled in (0, 1))`.execute(db)
      if (rows.length > 0) remaining.push(provider)
    }
    await inChunks(remaining, (some) => insertDue(db, chainId, some))
  })
}

function insertDue(db: Db, chainId: number, providers: readonly string[]) {
  return db
    .insertInto('provider_checks')
    .values(providers.map((provider) => ({ chain_id: chainId, provider, due_at: 0, tries: 0 })))
    .onConflict((row) => row.doNothing())
    .execute()
}

function unique(rows: Named): string[] {
  return [...new Set(rows.map(({ provider }) => provider))]
}
