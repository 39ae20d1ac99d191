import { ISubscriptions } from '@remit/contracts/ISubscriptions'
import { callOf } from '@remit/devchain/testing/chain/block'
import type { Operation } from '@remit/service/testing/calls/serviceOperation'
import * as z from 'zod'
import { reorganise } from '../support/chain/reorganise.ts'
import type { Ground } from './ownErrors.ts'
import { seen } from './seen.ts'

const Page = z.object({ nextCursor: z.string() })

/** A list of members goes on after a reorganisation. Stale is a cursor of a state that is not remembered. */
const MEMBERS_LONG_AGO = `trouble-asc-999999999-0-0x${'0'.repeat(40)}-0x${'0'.repeat(64)}`

/**
 * Reads the first page of every list whose cursor can go stale while the newest block has a row for each, and then
 * has that block reorganised away. Returns the cursors, which now stand on nothing.
 */
export async function losePages(
  { chain, service, sample }: Pick<Ground, 'chain' | 'service' | 'sample'>,
  operations: readonly Operation[],
): Promise<Map<Operation, string>> {
  await chain.mine(...eventsOfEveryKind(chain))
  await seen(service, chain)
  const cursors = new Map<Operation, string>()
  for (const operation of operations.filter(({ errors }) =>
    errors.some(({ code }) => code === 'CURSOR_STALE'),
  )) {
    const { body } = await service.call(operation, { ...sample.of(operation), first: 1 })
    const isOfMembers = operation.name === 'list_provider_members'
    cursors.set(operation, isOfMembers ? MEMBERS_LONG_AGO : Page.parse(body).nextCursor)
  }
  await reorganise(chain.client, 1, [])
  await chain.mine()
  await seen(service, chain)
  return cursors
}

/** A creation, an edit and a leaving, of the subscription and the subscriber that the samples are about. */
function eventsOfEveryKind({ contract, cast, tokens, wallets }: Ground['chain']) {
  const target = { address: contract, abi: ISubscriptions.abi }
  const { coffeeWeekly: coffee } = cast
  const terms = [coffee.amount, tokens.usdc, coffee.details, 0, 1] as const
  return [
    callOf(coffee.provider, target, 'createSubscription', terms),
    callOf(coffee.provider, target, 'editDetails', [coffee.details, coffee.id]),
    callOf(wallets.ada, target, 'unsubscribe', [coffee]),
  ]
}
