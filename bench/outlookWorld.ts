import { type Address, getAddress, type Hex, keccak256, numberToHex, stringToHex } from 'viem'
import type { BlockRef } from '../src/core/ports/history.ts'
import { createProjection } from '../src/history/projection/createProjection.ts'
import { followStep } from '../src/history/projection/verdicts/followStep.ts'
import { VerdictCounts } from '../src/history/projection/verdicts/VerdictCounts.ts'
import { nextDueDay } from '../src/protocol/calendar.ts'
import { parseFrequency } from '../src/protocol/subscription.ts'
import type { Store } from '../src/store/openStore.ts'

export const CHAIN = 1
const LEASE_MS = 600_000
const CONTRACT: Hex = `0x${'c0'.repeat(20)}`
const TOKEN: Hex = `0x${'70'.repeat(20)}`
/** Unix seconds: the index's block. */
const NOW = 1_780_000_000
const TODAY = Math.floor(NOW / 86_400)
const SUBSCRIPTIONS_EACH = 20
const ROWS_IN_STATEMENT = 1_000

const TRANSACTION: Hex = `0x${'7a'.repeat(32)}`
const hashOf = (text: string): Hex => keccak256(stringToHex(text))
const accountOf = (number: number): Hex => numberToHex(0xacc0_0000_0000n + BigInt(number), { size: 20 })

export interface BenchProvider {
  readonly address: Address
  readonly subscribers: number
}

/**
 * A store with one provider for each size, each with twenty subscriptions of all frequencies, a verdict on every membership,
 * and a history of so many rows. A twentieth of the members will fail. Written as rows, since a million transactions
 * would take a day.
 */
export async function fillOutlookWorld(
  store: Store,
  sizes: readonly number[],
  historyRows: number,
): Promise<readonly BenchProvider[]> {
  const block: BlockRef = {
    number: 1_000,
    hash: hashOf('head'),
    parentHash: hashOf('parent'),
    timestamp: NOW,
  }
  const identity = { chainId: CHAIN, genesisHash: hashOf('genesis'), contract: CONTRACT, firstBlock: 1 }
  await createProjection(store).take(identity, 'rpc', async () => block, 'bench', LEASE_MS)
  const providers = sizes.map((subscribers, index) => ({
    address: getAddress(numberToHex(0xb0_0000n + BigInt(index), { size: 20 })),
    subscribers,
  }))
  let accounts = 0
  let logs = 0
  const nextAccount = () => {
    accounts += 1
    return accountOf(accounts)
  }
  const nextLog = () => {
    logs += 1
    return logs
  }
  const membersInAll = sizes.reduce((sum, size) => sum + size, 0)
  const eventsEach = Math.max(1, Math.floor(historyRows / membersInAll))
  for (const { address, subscribers } of providers) {
    const provider = address.toLowerCase()
    const subscriptions = Array.from({ length: SUBSCRIPTIONS_EACH }, (_, index) => {
      const frequency = index % 4
      return {
        chain_id: CHAIN,
        id: hashOf(`${provider} ${index}`),
        provider,
        token: TOKEN,
        amount: (10n ** 18n * BigInt(5 + index)).toString(),
        frequency,
        due_day: 1 + (index % 7),
        created_at: NOW - 90_000_000,
        created_block: 1,
        created_log_index: nextLog(),
        transaction_hash: hashOf(`creation ${index}`),
        cancelled: 0,
        cancelled_block: null,
      }
    })
    await store.transaction(async (db) => {
      await db.insertInto('subscriptions').values(subscriptions).execute()
      await db
        .insertInto('subscriber_counts')
        .values(
          subscriptions.map(({ id }, index) => ({
            chain_id: CHAIN,
            subscription_id: id,
            subscribers: Math.floor((subscribers + SUBSCRIPTIONS_EACH - 1 - index) / SUBSCRIPTIONS_EACH),
          })),
        )
        .execute()
    })
    for (let from = 0; from < subscribers; from += ROWS_IN_STATEMENT) {
      const members = Array.from({ length: Math.min(ROWS_IN_STATEMENT, subscribers - from) }, (_, index) => {
        const subscription = subscriptions[(from + index) % SUBSCRIPTIONS_EACH]
        if (subscription === undefined) throw new RangeError('no subscription')
        return { subscription, subscriber: nextAccount() }
      })
      await store.transaction(async (db) => {
        await db
          .insertInto('memberships')
          .values(
            members.map(({ subscription, subscriber }, index) => ({
              chain_id: CHAIN,
              subscription_id: subscription.id,
              subscriber,
              status: 0,
              first_block: 2,
              first_log_index: from + index,
            })),
          )
          .execute()
        for (let event = 0; event < eventsEach; event += 1) {
          await db
            .insertInto('events')
            .values(
              members.map(({ subscription, subscriber }) => ({
                chain_id: CHAIN,
                block_number: 2 + event,
                log_index: nextLog(),
                transaction_hash: TRANSACTION,
                timestamp: NOW - 80_000_000 + event * 604_800,
                subscription_id: subscription.id,
                // The first subscribes, the others pay.
                event: event === 0 ? 6 : event % 2 === 0 ? 2 : 5,
                provider,
                subscriber,
                token: TOKEN,
                amount: subscription.amount,
              })),
            )
            .execute()
        }
        const keys = members.map(({ subscription, subscriber }) => ({
          subscription_id: subscription.id,
          subscriber,
        }))
        await followStep(db, CHAIN, {
          begun: keys,
          ended: [],
          cancelled: [],
          subscribers: [],
        })
      })
      await writeVerdicts(
        store,
        members.map(({ subscriber }) => subscriber),
      )
    }
  }
  return providers
}

/** Every twentieth fails at its next charge, one of them in a hundred at the one after it. */
async function writeVerdicts(store: Store, subscribers: readonly string[]): Promise<void> {
  await store.transaction(async (db) => {
    const rows = await db
      .selectFrom('verdicts')
      .selectAll()
      .where('chain_id', '=', CHAIN)
      .where('subscriber', 'in', subscribers)
      .execute()
    const counts = new VerdictCounts()
    for (const [index, row] of rows.entries()) {
      const fails = index % 20 === 0
      const firstDay = nextDueDay(parseFrequency(row.frequency), row.due_day, TODAY)
      if (firstDay === undefined) throw new RangeError('no due day')
      const charges = fails ? 'X' : (['PFPFPFPFPFPFPFPFP', 'PPFP', 'PF', 'P'][row.frequency] ?? 'P')
      const next = {
        ...row,
        sweep_at: NOW + 86_400,
        block_number: 950,
        block_timestamp: NOW - 100,
        first_day: firstDay,
        charges,
        trouble: fails ? 2 : null,
        trouble_day: fails ? firstDay : null,
        missing_allowance: fails ? '0' : null,
        missing_balance: fails ? '1000000' : null,
      }
      counts.remove(row)
      counts.add(next)
      await db
        .updateTable('verdicts')
        .set(next)
        .where('chain_id', '=', CHAIN)
        .where('subscriber', '=', row.subscriber)
        .where('subscription_id', '=', row.subscription_id)
        .execute()
    }
    await counts.write(db, CHAIN)
  })
}
