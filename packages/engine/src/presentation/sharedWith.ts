import { inRemitOrder } from '@remit/protocol/charges/ChargeSchedule'
import type { Hex } from 'viem'
import * as z from 'zod'
import { SubscriptionId } from '../schema/hex.ts'

/** The most ids that an answer lists. */
const MOST_LISTED = 100

/** The fields of an answer that name the subscriptions which draw on one allowance. */
export function sharedWithFields(description: string) {
  return {
    sharedWith: z
      .array(SubscriptionId)
      .max(MOST_LISTED)
      .describe(`${description} In the order in which remit charges them, the first ${MOST_LISTED}.`),
    sharedWithCount: z.int().min(0).describe('How many they are in all.'),
  }
}

/** What these fields say. @param dueOrder as the chain's reads tell it (ports/chainReads.ts) */
export function toSharedWith(
  rows: readonly { readonly terms: { readonly id: Hex } }[],
  dueOrder: readonly Hex[],
): { sharedWith: Hex[]; sharedWithCount: number } {
  const ids = inRemitOrder(
    rows.map(({ terms }) => ({ id: terms.id })),
    dueOrder,
  ).map(({ id }) => id)
  return { sharedWith: ids.slice(0, MOST_LISTED), sharedWithCount: ids.length }
}
