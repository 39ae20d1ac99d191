import { defineOperation } from '@remit/engine/declare/operation'
import { SubscriptionNotFoundError } from '@remit/engine/errors/chain'
import { MembershipNotFoundError, NotEntitledError } from '@remit/engine/errors/history'
import { toDayOrNull } from '@remit/engine/presentation/day'
import { membershipLife } from '@remit/engine/presentation/membership'
import { Address, SubscriptionId } from '@remit/engine/schema/hex'
import { Day, LAST_SECOND, Timestamp } from '@remit/engine/schema/numbers'
import { PlainText } from '@remit/engine/schema/text'
import { SECONDS_PER_DAY } from '@remit/protocol/calendar'
import { lastDayOfGrace, type MembershipLife, paidThrough } from '@remit/protocol/entitlement'
import * as z from 'zod'
import { defineServiceOperation } from '../calls/serviceOperation.ts'
import { ForbiddenError, KeysUnavailableError, PassesOffError, UnauthorizedError } from '../errors/access.ts'

/** The most seconds that a pass holds. Keys are published for longer. */
const MOST_SECONDS = SECONDS_PER_DAY
/** Seconds that a pass holds if it rests on a block which a reorganisation could still take away. */
const UNSETTLED_SECONDS = 300

/** Gives a member a signed proof of what it has paid for. */
export const createPass = defineOperation({
  name: 'create_pass',
  effect: 'manage',
  kind: 'chain',
  summary: 'A pass for the wallet that is signed in: a signed proof of its membership, checked offline',
  description:
    'The pass is a JWT, signed by EdDSA, for one audience: mostly the origin of the site that is to accept it. It holds a ' +
    'day at most, five minutes where a reorg could still undo the membership, and never longer than what is paid for with ' +
    'the operator’s days of grace. So a member whose next charge is late has no pass until remit has made it.',
  access: 'pass',
  rest: { method: 'POST', path: '/passes', status: 201 },
  errors: [
    UnauthorizedError,
    ForbiddenError,
    PassesOffError,
    NotEntitledError,
    SubscriptionNotFoundError,
    MembershipNotFoundError,
    KeysUnavailableError,
  ],
  input: z.object({
    subscriptionId: SubscriptionId,
    audience: PlainText.min(1)
      .max(200, 'must have 200 characters at most')
      .describe('Who is to accept the pass, such as "https://shop.example".'),
  }),
  output: z.object({
    pass: z.string().describe('The pass itself.'),
    subscriptionId: SubscriptionId,
    subscriber: Address,
    audience: z.string(),
    issuedAt: Timestamp,
    expiresAt: Timestamp,
    paidThrough: Day.nullable().describe('The last day that is paid for; null after the year 9999.'),
  }),
  query: ({ input, subject, history }) => {
    if (subject === undefined) throw UnauthorizedError.session()
    return history.member(input.subscriptionId, Address.parse(subject))
  },
  async handle({ input: { subscriptionId, audience }, chain, rows: record, subject, passes }) {
    const { graceDays } = passes
    const subscriber = Address.parse(subject)
    const standing = await chain.read.membershipState(subscriptionId, subscriber, subscriber)
    if (record === undefined) throw new MembershipNotFoundError(subscriptionId, subscriber)
    const life = membershipLife(record, standing)
    const last = paidThrough(life)
    const graceEnd = lastDayOfGrace(last, graceDays)
    const entitledThrough =
      graceEnd === null ? LAST_SECOND : Math.min(LAST_SECOND, (graceEnd + 1) * SECONDS_PER_DAY - 1)
    const left = entitledThrough - chain.now
    if (life.state === 'dropped' || left <= 0) throw new NotEntitledError(subscriptionId, life.state)
    // What the membership rests on.
    const rests = [record.joined, record.lastPayment, ...(record.ended === null ? [] : [record.ended])]
    const isSettled = rests.every(({ finalized }) => finalized) && isByPayment(life, last)
    const { blockNumber, blockHash } = chain.asOf
    const issued = await passes.issue(
      {
        audience,
        chainId: chain.chainId,
        contractAddress: chain.contractAddress,
        subscriptionId,
        subscriber,
        block: { number: blockNumber, hash: blockHash },
        entitledThrough,
      },
      Math.min(left, isSettled ? MOST_SECONDS : UNSETTLED_SECONDS),
    )
    return { ...issued, subscriptionId, subscriber, audience, paidThrough: toDayOrNull(last ?? undefined) }
  },
})

/**
 * Whether the last paid day follows from payments alone, and not from how far remit is at the newest block: then it stays the same
 * if remit had not gone on since the joining.
 */
function isByPayment(life: MembershipLife, last: number | null): boolean {
  return paidThrough({ ...life, unchecked: life.joinedDay }) === last
}

/** The public keys of passes, where verifiers of JWTs look for them. */
export const getPassKeys = defineServiceOperation({
  name: 'get_pass_keys',
  effect: 'read',
  summary: 'The public keys of passes, as a JWK Set',
  description:
    'Pages of every origin may read it. A key is published two days before it signs and for two days after it has signed ' +
    'last, so that a copy of a day holds.',
  access: 'published',
  rest: { method: 'GET', path: '/.well-known/jwks.json' },
  errors: [PassesOffError, KeysUnavailableError],
  input: z.object({}),
  output: z.object({
    keys: z.array(
      z.object({
        kty: z.literal('OKP'),
        crv: z.literal('Ed25519'),
        x: z.string(),
        kid: z.string(),
        alg: z.literal('EdDSA'),
        use: z.literal('sig'),
      }),
    ),
  }),
  handle: async ({ passes }) => ({ keys: [...(await passes.keys())] }),
})
