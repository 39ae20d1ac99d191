import type { Transaction } from 'kysely'
import type { Tables } from '../../../store/tables.ts'
import { UNREAD_VERDICT } from './followStep.ts'
import { VerdictCounts } from './VerdictCounts.ts'

/** Forgets what was read of all who pay in a token, and makes it due: whether it is paused decides all of their charges. */
export async function forgetToken(db: Transaction<Tables>, chainId: number, token: string): Promise<void> {
  const known = await db
    .selectFrom('verdicts')
    .select(['provider', 'subscription_id', 'frequency', 'due_day', 'first_day', 'charges'])
    .where('chain_id', '=', chainId)
    .where('token', '=', token)
    .where('sweep_at', '>', 0)
    .execute()
  const counts = new VerdictCounts()
  for (const row of known) counts.remove(row)
  await counts.write(db, chainId)
  await db
    .updateTable('verdicts')
    .set({ ...UNREAD_VERDICT, sweep_at: 0 })
    .where('chain_id', '=', chainId)
    .where('token', '=', token)
    .where('sweep_at', '>', 0)
    .execute()
}
