import type { TimedApproval } from '@remit/engine/ports/source'
import { type Insertable, sql, type Transaction } from 'kysely'
import { type Address, getAddress } from 'viem'
import type { ApprovalsTable } from '../../store/indexTables.ts'
import type { Queries, Store } from '../../store/openStore.ts'
import type { Tables } from '../../store/tables.ts'
import type { ApprovalGap, ApprovalStore } from '../projection.ts'
import { inChunks } from './columns.ts'
import { lockIndex } from './lockIndexAtBlock.ts'
import { CountChanges, writeCounts } from './step/counts.ts'
import { forgetVerdictsBefore } from './verdicts/updateVerdicts.ts'

// The ERC-20 approvals of payers, by which answers show how much the contract may take. They are kept of followed tokens: those in
// which the indexed chain has a subscription, cancelled or not (`token_counts` has a row for each). A step writes new blocks
// (`applyStep.ts`), with their approvals if its source tells them. Of each followed token, `approval_tokens` says which approvals are
// known: those of blocks up to `read_to`, and those of all blocks above `live_from`, where steps began to bring them. Between the two
// is a gap, which `PastApprovals` closes from below. Where `read_to` has reached `live_from`, there is none.

const IS_GAP = sql<boolean>`read_to < live_from`

/** The port of `PastApprovals`. */
export function approvalStore(store: Store): ApprovalStore {
  return {
    async findGap(lease) {
      const { chainId } = lease
      const found = await firstGap(store.db, chainId)
      if (found !== undefined || !(await hasNewTokens(store.db, chainId))) return found
      return store.transaction(async (db) => {
        await lockIndex(db, lease)
        await followNewTokens(db, chainId)
        return firstGap(db, chainId)
      })
    },

    closeGap: (lease, gap, to, approvals) =>
      store.transaction(async (db) => {
        const { chainId } = lease
        const tip = await lockIndex(db, lease)
        const known = await db
          .selectFrom('index_blocks')
          .select('hash')
          .where('chain_id', '=', chainId)
          .where('number', '=', to.number)
          .executeTakeFirst()
        // Hashes of final blocks are not all kept. Such a block cannot have been replaced.
        const isOnChain =
          known === undefined ? to.number <= tip.finalizedBlock : known.hash === to.hash.toLowerCase()
        if (!isOnChain || to.number > tip.blockNumber) return false
        await writeApprovals(db, chainId, approvals)
        await forgetVerdictsBefore(db, chainId, approvals)
        await coverGap(db, chainId, gap, to.number)
        return true
      }),
  }
}

/**
 * Writes and counts approvals of followed tokens, for a step or for `PastApprovals`. One that is known stays as it is: the range
 * of a gap may reach into what steps have read.
 * @returns the owners of new ones, lower case, each once
 */
export async function writeApprovals(
  db: Transaction<Tables>,
  chainId: number,
  approvals: readonly TimedApproval[],
): Promise<readonly string[]> {
  if (approvals.length === 0) return []
  // They were read for the tokens of a while ago. A rollback may since have taken back all subscriptions in one: it is followed no more.
  const followed = new Set((await followedTokens(db, chainId)).map((token) => token.toLowerCase()))
  const rows = approvals.map((approval) => approvalRow(chainId, approval))
  const changes = new CountChanges()
  await inChunks(
    rows.filter(({ token }) => followed.has(token)),
    async (chunk) => {
      const added = await db
        .insertInto('approvals')
        .values(chunk)
        .onConflict((row) => row.doNothing())
        .returning('owner')
        .execute()
      for (const { owner } of added) changes.asSubscriber.add(owner, 1)
    },
  )
  await writeCounts(db, chainId, changes)
  return [...changes.asSubscriber.keys()]
}

function approvalRow(chainId: number, approval: TimedApproval): Insertable<ApprovalsTable> {
  const { owner, token, amountRaw, blockNumber, logIndex, transactionHash, timestamp } = approval
  return {
    chain_id: chainId,
    block_number: blockNumber,
    log_index: logIndex,
    transaction_hash: transactionHash.toLowerCase(),
    timestamp,
    owner: owner.toLowerCase(),
    token: token.toLowerCase(),
    amount: amountRaw.toString(),
  }
}

/** The tokens whose approvals are kept, in the order of their addresses: the next step asks its source for these. */
export async function followedTokens(db: Queries, chainId: number): Promise<readonly Address[]> {
  const rows = await db
    .selectFrom('approval_tokens')
    .select('token')
    .where('chain_id', '=', chainId)
    .orderBy('token')
    .execute()
  return rows.map(({ token }) => getAddress(token))
}

/**
 * Follows tokens that `token_counts` has and `approval_tokens` has not: their first subscription was just created, or an older release
 * filled the index. Their past up to the tip is a gap. Block 0 has no logs, so the gap of an index from block 0 on begins after it.
 * @param step the step that is being written, if one is: of `tokens` it brings the approvals after block `from`. New tokens may be among
 *   them, because a source that sees a creation in its blocks reads the approvals of its token there too. Their gap ends at `from`
 */
async function followNewTokens(
  db: Transaction<Tables>,
  chainId: number,
  step?: { readonly from: number; readonly tokens: readonly Address[] },
): Promise<void> {
  const { rows } = await sql<{ token: string }>`
    insert into approval_tokens (chain_id, token, read_to, live_from)
    select token_counts.chain_id, token_counts.token,
      case when first_block > 0 then first_block - 1 else 0 end, block_number
    from index_chains join token_counts on token_counts.chain_id = index_chains.chain_id
    where index_chains.chain_id = ${chainId} and not exists (
      select 1 from approval_tokens known
      where known.chain_id = token_counts.chain_id and known.token = token_counts.token)
    returning token`.execute(db)
  if (rows.length === 0) return
  const fresh = new Set(rows.map(({ token }) => token))
  const read = step?.tokens.map((token) => token.toLowerCase()).filter((token) => fresh.has(token)) ?? []
  if (step !== undefined && read.length > 0) {
    await db
      .updateTable('approval_tokens')
      .set({ live_from: step.from })
      .where('chain_id', '=', chainId)
      .where('token', 'in', read)
      .execute()
  }
  await noteGaps(db, chainId)
}

/** Whether there are tokens that are not followed yet: in an index that an older release filled. */
async function hasNewTokens(db: Queries, chainId: number): Promise<boolean> {
  const known = db
    .selectFrom('approval_tokens')
    .select('approval_tokens.token')
    .where('approval_tokens.chain_id', '=', chainId)
  const rows = await db
    .selectFrom('token_counts')
    .select('token')
    .where('chain_id', '=', chainId)
    .where('token', 'not in', known)
    .limit(1)
    .execute()
  return rows.length > 0
}

/**
 * Notes which approvals a step over blocks (`from`, `to`] brought: those of `tokens`. For every other followed token these blocks become
 * a gap, or the end of the one that it has. Then follows the tokens that are new.
 */
export async function noteApprovalGaps(
  db: Transaction<Tables>,
  chainId: number,
  step: { readonly from: number; readonly to: number; readonly tokens: readonly Address[] },
): Promise<void> {
  const { from, to, tokens } = step
  if (to > from) {
    const read = tokens.map((token) => token.toLowerCase())
    const { numUpdatedRows } = await db
      .updateTable('approval_tokens')
      .set({
        read_to: sql<number>`case when ${IS_GAP} then read_to else cast(${from} as bigint) end`,
        live_from: to,
      })
      .where('chain_id', '=', chainId)
      .$if(read.length > 0, (query) => query.where('token', 'not in', read))
      .executeTakeFirst()
    if (numUpdatedRows > 0n) await noteGaps(db, chainId)
  }
  await followNewTokens(db, chainId, step)
}

/** The gap that begins first, with all tokens that lack the same blocks. */
async function firstGap(db: Queries, chainId: number): Promise<ApprovalGap | undefined> {
  const rows = await db
    .selectFrom('approval_tokens')
    .select(['token', 'read_to'])
    .where('chain_id', '=', chainId)
    .where(IS_GAP)
    .orderBy('read_to')
    .orderBy('token')
    .execute()
  const [first] = rows
  if (first === undefined) return undefined
  const { read_to: readTo } = first
  const tokens = rows.filter((row) => row.read_to === readTo).map(({ token }) => getAddress(token))
  return { tokens, readTo }
}

/** Moves the beginning of a gap up to block `to`, whose approvals are known now. A rollback may have moved the gap: then nothing is done. */
async function coverGap(
  db: Transaction<Tables>,
  chainId: number,
  { tokens, readTo }: ApprovalGap,
  to: number,
): Promise<void> {
  const keys = tokens.map((token) => token.toLowerCase())
  const covered = db.updateTable('approval_tokens').set({ read_to: to }).where('chain_id', '=', chainId)
  await covered.where('token', 'in', keys).where('read_to', '=', readTo).execute()
  await noteGaps(db, chainId)
}

/** Writes into the chain's row where the first gap begins, null without one. Kept answers are made anew when that changes. */
export async function noteGaps(db: Transaction<Tables>, chainId: number): Promise<void> {
  await db
    .updateTable('index_chains')
    .set((row) => ({
      approvals_read_to: row
        .selectFrom('approval_tokens')
        .select((of) => of.fn.min<number | null>('read_to').as('read_to'))
        .where('chain_id', '=', chainId)
        .where(IS_GAP),
    }))
    .where('chain_id', '=', chainId)
    .execute()
}
