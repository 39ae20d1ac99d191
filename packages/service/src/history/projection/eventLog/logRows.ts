import { happenedIn } from '@remit/engine/indexing/events/happenedIn'
import { groupBy } from '@remit/engine/indexing/groupBy'
import { EVENT_FACTS, type Happened } from '@remit/engine/ports/events'
import type { PlacedPayment, Step, StepFacts } from '@remit/engine/ports/source'
import * as z from 'zod'
import type { MemberChange } from '../step/memberships.ts'
import { type NewEvent, typeNumber } from './eventRow.ts'

/** What was written of a step beside its events. */
interface WrittenStep extends Pick<StepFacts, 'terms' | 'blockHashes'> {
  readonly payments: readonly PlacedPayment[]
  /** Each beginning and end of a membership. */
  readonly turns: readonly MemberChange[]
}

/** What the logs of a step say happened, as rows. Throws what happenedIn throws. */
export function logRows(
  chainId: number,
  step: Step,
  { turns, ...written }: WrittenStep,
): readonly NewEvent[] {
  const byBlock = groupBy(turns, ({ blockNumber }) => blockNumber)
  const changesMembership = ({ blockNumber, logIndex: first, lastLogIndex }: PlacedPayment) =>
    (byBlock.get(blockNumber) ?? []).some(({ logIndex }) => logIndex >= first && logIndex <= lastLogIndex)
  return happenedIn(chainId, step, { ...written, changesMembership }).map(rowOf)
}

function rowOf({ id, type, block, logIndex, transactionHash, subject, facts }: Happened): NewEvent {
  return {
    id,
    type: typeNumber(type),
    block_number: block.number,
    block_hash: block.hash,
    timestamp: block.timestamp,
    log_index: logIndex,
    transaction_hash: transactionHash?.toLowerCase() ?? null,
    subscription_id: subject.subscriptionId?.toLowerCase() ?? null,
    provider: subject.provider?.toLowerCase() ?? null,
    account: subject.account?.toLowerCase() ?? null,
    token: subject.token?.toLowerCase() ?? null,
    // Safe: the schema that encodes the facts is that of their type.
    facts: JSON.stringify(z.encode<z.ZodType>(EVENT_FACTS[type], facts)),
  }
}
