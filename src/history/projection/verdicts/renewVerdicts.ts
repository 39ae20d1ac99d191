import { sql, type Transaction } from 'kysely'
import type { Tables } from '../../../store/tables.ts'

/** Makes a row for every membership that is charged, for a chain whose memberships came without. All are unread. */
export async function renewVerdicts(db: Transaction<Tables>, chainId: number): Promise<void> {
  await sql`
    insert into verdicts (chain_id, subscriber, subscription_id, provider, token, frequency, due_day,
      sweep_at)
    select m.chain_id, m.subscriber, m.subscription_id, s.provider, s.token, s.frequency, s.due_day, 0
    from memberships m
    join subscriptions s on s.chain_id = m.chain_id and s.id = m.subscription_id
    where m.chain_id = ${chainId} and m.status = 0 and s.cancelled = 0`.execute(db)
}
