import { defineOperation } from '@remit/engine/declare/operation'
import { ValidationError } from '@remit/engine/errors/input'
import { PermitUnsupportedError, PermitVoidError } from '@remit/engine/errors/permit'
import { NotReadyError } from '@remit/engine/errors/prepare'
import {
  inWords,
  quantityFact,
  tokenNotApproved,
} from '@remit/engine/operations/prepare/answer/preconditions'
import {
  handedPermitFields,
  judgePermit,
  readHanded,
} from '@remit/engine/operations/prepare/permit/handedPermit'
import type { TokenFacts, WalletState } from '@remit/engine/ports/chainReads'
import type { Rescue as RescueFacts, RescuesPort } from '@remit/engine/ports/rescues'
import { isCharged } from '@remit/engine/presentation/accountRow'
import type { Issue } from '@remit/engine/schema/envelope'
import { Address, Signature, SubscriptionId } from '@remit/engine/schema/hex'
import { Timestamp, toSeconds, Uint256 } from '@remit/engine/schema/numbers'
import { pageAnswer, pageFields } from '@remit/engine/schema/page'
import { MOST_PERMIT_SECONDS } from '@remit/engine/schema/signed'
import type { Address as ChecksummedAddress } from 'viem'
import * as z from 'zod'
import { KeysUnavailableError, UnauthorizedError } from '../errors/access.ts'
import { MaxRescuesError, RescueNotFoundError, RescuesOffError } from '../errors/rescues.ts'
import { RescueId } from '../ports/webhooks.ts'

// Rescues: a member who runs short and has no ether signs a permit (ERC-2612, or DAI's form) and leaves it here, so that its provider
// may send ("carry") it to the chain and goes on being paid. The operations leave one, list them, and have one forgotten. They are kept by
// `rescues/Rescues.ts`, and deleted once they are of no use by `RescueSweep.ts` there.

const PAGE = { default: 10, max: 25 }

const STAYS_VALID =
  'Whoever has read the signature can carry it until its deadline. To void it, sign another permit for the same token and have ' +
  'that one carried.'

const Rescue = z
  .object({
    id: RescueId,
    owner: Address.describe('The member, whose permission it is.'),
    provider: Address,
    token: Address,
    value: Uint256.describe('The allowance that it sets, in the token’s smallest unit.'),
    allowed: z
      .boolean()
      .nullable()
      .describe('What was signed in place of `value`, in DAI’s own form; else null.'),
    deadline: Timestamp.describe('Until when it can be carried, and is kept.'),
    nonce: Uint256,
    public: z.boolean().describe('Whether anybody may see and carry it.'),
    createdAt: Timestamp,
    subscriptions: z
      .array(SubscriptionId)
      .nullable()
      .describe(
        'The owner’s active subscriptions with the provider in the token; null where the index cannot tell.',
      ),
  })
  .meta({ id: 'Rescue', description: 'A signed permit that a member has left for its provider to carry.' })

const rescueErrors = [RescuesOffError, KeysUnavailableError]

/** Keeps a signed permit for whoever carries it. */
export const offerRescue = defineOperation({
  name: 'offer_rescue',
  effect: 'manage',
  kind: 'chain',
  summary: 'Leave a signed permit for your provider to carry, until its deadline',
  description:
    'For a member whose allowance runs out and who has no ether: prepare_extend_coverage with permit: true says what to sign. ' +
    'The permit is tried at the newest block before it is kept: what the token would refuse is PERMIT_VOID. It must raise the ' +
    'allowance, and end within 7 days. The provider sees it in GET /rescues and is told by rescue.offered. A later one of the ' +
    'same token and nonce takes its place. It is deleted once it is carried, void or over.',
  access: 'rescueOffer',
  rest: { method: 'POST', path: '/rescues', status: 201 },
  tool: false,
  errors: [...rescueErrors, NotReadyError, PermitUnsupportedError, PermitVoidError, MaxRescuesError],
  input: z.object({
    ...handedPermitFields,
    provider: Address.describe(
      'Who is to carry it: the owner subscribes to something of theirs in the token.',
    ),
    public: z
      .boolean()
      .optional()
      .describe('true: anybody may see it, and carry it. Default: the provider and the owner alone.'),
  }),
  output: z.object({ rescue: Rescue }),
  async handle({ input, chain, rescues }) {
    const kept = requireOn(rescues)
    const { owner, token, provider, deadline, signature } = input
    // 0: DAI's permits may have no end.
    if (deadline === 0 || deadline > chain.now + MOST_PERMIT_SECONDS) {
      throw ValidationError.of('deadline', 'is more than 7 days ahead')
    }
    const [state, handed] = await Promise.all([
      chain.read.walletState(token, owner),
      readHanded(chain, input),
    ])
    const { approved } = state
    if (approved === undefined) throw new NotReadyError('offer_rescue', [tokenNotApproved(token)])
    const current = approved.wallet.allowance
    const { permit, call, nonce } = await judgePermit(chain, input, { ...handed, current })
    // No call: the permit was carried already.
    if (call === undefined) throw new PermitVoidError(input, 'used')
    const subscriptionIds = paidFrom(state, { token, provider })
    const issues = [
      ...(subscriptionIds.length === 0 ? [notSubscribed({ owner, provider }, approved.token)] : []),
      ...(permit.value > current ? [] : [addsNothing(owner, current, permit.value, approved.token)]),
    ]
    if (issues.length > 0) throw new NotReadyError('offer_rescue', issues)
    const rescue = await kept.keep(
      {
        chainId: chain.chainId,
        owner,
        token,
        provider,
        value: permit.value,
        isAllowed: input.allowed === true,
        deadline,
        nonce,
        signature,
        isPublic: input.public === true,
      },
      { now: chain.now, blockNumber: chain.asOf.blockNumber, subscriptionIds },
    )
    return { rescue: toRescue(rescue, subscriptionIds) }
  },
})

/** What members have left for a provider, or for everybody. */
export const listRescues = defineOperation({
  name: 'list_rescues',
  effect: 'read',
  kind: 'chain',
  summary: 'The signed permits that members have left for a provider to carry, newest first',
  description:
    'Of one provider: the provider sees all, a member its own, by their session or a key of their wallet, and everybody those that ' +
    'are public. Without `provider`: the public ones of all providers. ' +
    'prepare_carry_permit takes owner, token, deadline and signature as they are here, with `allowed` where it is not null, else ' +
    '`value`.',
  access: 'rescueList',
  rest: { method: 'GET', path: '/rescues' },
  tool: false,
  errors: rescueErrors,
  input: z.object({
    provider: Address.optional().describe('Default: the public ones of all providers.'),
    first: pageFields(PAGE).first,
    after: pageFields(PAGE).after,
  }),
  output: z.object({
    rescues: z.array(z.object({ ...Rescue.shape, signature: Signature })),
    nextCursor: pageAnswer.nextCursor,
  }),
  async handle({ input: { provider, first = PAGE.default, after }, chain, rescues, askIndex }) {
    const { chainId, now } = chain
    const { rows, nextCursor } = await requireOn(rescues).list({ chainId, provider, now, first, after })
    const owners = [...new Set(rows.map(({ owner }) => owner))]
    const providers = [...new Set(rows.map((row) => row.provider))]
    const members = await askIndex((history) => history.subscribedTo(providers, owners))
    return {
      rescues: rows.map((row) => {
        const saved = members?.filter(
          (paid) => paid.account === row.owner && paid.provider === row.provider && paid.token === row.token,
        )
        const ids = saved?.map(({ subscriptionId }) => subscriptionId) ?? null
        return { ...toRescue(row, ids), signature: row.signature }
      }),
      nextCursor,
    }
  },
})

/** Deletes a permit of the caller's own, on its chain alone: a contract wallet's address may be somebody else's on another chain. */
export const withdrawRescue = defineOperation({
  name: 'withdraw_rescue',
  effect: 'manage',
  kind: 'chain',
  summary: 'Have a signed permit of yours forgotten here',
  description: `With the session or a key of the wallet that signed it. ${STAYS_VALID}`,
  access: 'rescue',
  rest: { method: 'DELETE', path: '/rescues/:id' },
  tool: false,
  errors: [...rescueErrors, UnauthorizedError, RescueNotFoundError],
  input: z.object({ id: RescueId }),
  output: z.object({ id: RescueId, deleted: z.literal(true), warning: z.string() }),
  async handle({ input: { id }, chain, rescues }) {
    await requireOn(rescues).withdraw(chain.chainId, id)
    return { id, deleted: true as const, warning: STAYS_VALID }
  },
})

function requireOn(rescues: RescuesPort | undefined): RescuesPort {
  if (rescues === undefined) throw new RescuesOffError()
  return rescues
}

/** The subscriptions that a permit saves: those that are still charged, of the provider and in the token. */
function paidFrom(
  { memberships }: WalletState,
  { token, provider }: { readonly token: ChecksummedAddress; readonly provider: ChecksummedAddress },
) {
  return memberships
    .filter((row) => isCharged(row) && row.terms.token === token && row.terms.provider === provider)
    .map(({ terms }) => terms.id)
}

/** The issue where no subscription would be saved. */
function notSubscribed(
  { owner, provider }: { readonly owner: ChecksummedAddress; readonly provider: ChecksummedAddress },
  { address }: TokenFacts,
): Issue {
  const message = `${owner} subscribes to nothing of ${provider} in the token ${address} that is still charged: there is nothing to save.`
  return { code: 'NOT_SUBSCRIBED', message, token: address }
}

/** The issue where the permit does not raise the allowance. @param current the allowance now, and `value` that of the permit, in raw units */
function addsNothing(owner: ChecksummedAddress, current: bigint, value: bigint, token: TokenFacts): Issue {
  return {
    code: 'NOTHING_TO_EXTEND',
    message:
      `${owner} lets the protocol take ${inWords(current, token)} already, and this permit would set it to ` +
      `${inWords(value, token)}: it raises nothing.`,
    token: token.address,
    allowance: quantityFact(current, token),
    value: quantityFact(value, token),
  }
}

/** @param ids the subscriptions that it saves; `null` where the index cannot tell */
function toRescue(rescue: RescueFacts, ids: readonly `0x${string}`[] | null): z.output<typeof Rescue> {
  const { id, owner, provider, token, value, isAllowed, deadline, nonce, isPublic, createdAt } = rescue
  return {
    id,
    owner,
    provider,
    token,
    value,
    allowed: isAllowed ? true : null,
    deadline,
    nonce,
    public: isPublic,
    createdAt: toSeconds(createdAt),
    subscriptions: ids === null ? null : [...ids],
  }
}
