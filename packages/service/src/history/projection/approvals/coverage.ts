import { sql, type Transaction } from 'kysely'
import { type Address, getAddress } from 'viem'
import type { Queries } from '../../../store/openStore.ts'
import type { Tables } from '../../../store/tables.ts'
import type { ApprovalGap } from '../../projection.ts'

// Of each token the approvals are known up to `read_to`, and of all blocks above `live_from`. Between the two is a gap,
// which is closed from below. Where `read_to` has reached `live_from`, there is none.

const IS_GAP = sql<boolean>`read_to < live_from`

/** The tokens whose approvals the steps read: all that a subscription was ever created in. */
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
 * Follows tokens that came since: steps read them from now on, and their past is a gap. Block 0 has no logs, so an index
 * from there on begins behind it.
 * @param step has read some of them already
 */
export async function followNewTokens(
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

/** Whether an index that an older release filled lacks tokens to follow. */
export async function hasNewTokens(db: Queries, chainId: number): Promise<boolean> {
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

/** What a step has not read of a token becomes a gap, or part of the one that is there. */
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
export async function firstGap(db: Queries, chainId: number): Promise<ApprovalGap | undefined> {
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

/** Moves the beginning of a gap up to `to`: the approvals before are read now. */
export async function coverGap(
  db: Transaction<Tables>,
  chainId: number,
  { tokens, readTo }: ApprovalGap,
  to: number,
): Promise<void> {
  await db
    .updateTable('approval_tokens')
    .set({ read_to: to })
    .where('chain_id', '=', chainId)
    .where(
      'token',
      'in',
      tokens.map((token) => token.toLowerCase()),
    )
    .where('read_to', '=', readTo)
    .execute()
  await noteGaps(db, chainId)
}

/** Writes into the chain's row where the first gap begins: answers are made anew when that moves. */
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
