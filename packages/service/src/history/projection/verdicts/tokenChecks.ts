import type { TokenLogs } from '@remit/engine/ports/history'
import { type Address, getAddress } from 'viem'
import type { Queries, Store } from '../../../store/openStore.ts'
import type { VerdictStore } from '../../projection.ts'
import { lockIndexAtBlock } from '../lockIndexAtBlock.ts'

// Whether the Transfer logs of tokens state what they move. Two tables say so, by different evidence. `unstated_tokens`: a payment that
// happened was logged with another amount than the contract asked for, or not at all (`writePayments.ts`). `token_checks`: the sweep
// simulates a transfer; `differs` says that it changed balances by another amount than its log stated.

/**
 * The part of `VerdictStore` about tokens: which of them the sweep is to try, and what it found. A token is due if it was never tried,
 * or last tried before `since`; one that differed once is never tried again.
 */
export function tokenChecks(store: Store): Pick<VerdictStore, 'tokensToCheck' | 'writeTokenChecks'> {
  return {
    async tokensToCheck(chainId, tokens, since) {
      const known = await readChecks(store.db, chainId, tokens)
      return tokens.filter((token) => {
        const check = known.get(getAddress(token))
        return check === undefined || (check.differs === 0 && check.block_timestamp < since)
      })
    },

    async writeTokenChecks(lease, block, checks) {
      if (checks.length === 0) return
      const rows = checks.map(({ token, differs }) => ({
        chain_id: lease.chainId,
        token: token.toLowerCase(),
        block_number: block.number,
        block_timestamp: block.timestamp,
        differs: differs ? 1 : 0,
      }))
      await store.transaction(async (db) => {
        if ((await lockIndexAtBlock(db, lease, block)) === undefined) return
        await db
          .insertInto('token_checks')
          .values(rows)
          .onConflict((row) =>
            row
              .columns(['chain_id', 'token'])
              .doUpdateSet((set) => ({
                block_number: set.ref('excluded.block_number'),
                block_timestamp: set.ref('excluded.block_timestamp'),
                differs: set.ref('excluded.differs'),
              }))
              // What was paid while it differed stays so, whatever the token does now.
              .where('token_checks.differs', '=', 0),
          )
          .execute()
      })
    },
  }
}

/** What both tables say of these tokens, in their order. Of a token in neither: `loggedOther` is false, and `check` null. */
export async function readTokenLogs(
  db: Queries,
  chainId: number,
  tokens: readonly Address[],
): Promise<readonly TokenLogs[]> {
  if (tokens.length === 0) return []
  const checks = await readChecks(db, chainId, tokens)
  const unstated = await db
    .selectFrom('unstated_tokens')
    .select('token')
    .where('chain_id', '=', chainId)
    .where('token', 'in', tokens.map(lower))
    .execute()
  const loggedOther = new Set(unstated.map(({ token }) => getAddress(token)))
  return tokens.map((token) => {
    const check = checks.get(getAddress(token))
    return {
      token,
      loggedOther: loggedOther.has(getAddress(token)),
      check: check === undefined ? null : { differs: check.differs === 1, blockNumber: check.block_number },
    }
  })
}

async function readChecks(db: Queries, chainId: number, tokens: readonly Address[]) {
  if (tokens.length === 0) return new Map<Address, never>()
  const rows = await db
    .selectFrom('token_checks')
    .select(['token', 'block_number', 'block_timestamp', 'differs'])
    .where('chain_id', '=', chainId)
    .where('token', 'in', tokens.map(lower))
    .execute()
  return new Map(rows.map((row) => [getAddress(row.token), row]))
}

function lower(address: Address): string {
  return address.toLowerCase()
}
