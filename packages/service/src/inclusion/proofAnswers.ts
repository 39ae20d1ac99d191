import { ChainId } from '@remit/engine/schema/chain'
import { Address, BlockHash, Bytes, SubscriptionId } from '@remit/engine/schema/hex'
import { DayNumber, FrequencyNumber } from '@remit/engine/schema/numbers'
import { MEMBERSHIP_PROOF } from '@remit/protocol/inclusion/membershipProof'
import { PAYMENT_PROOF } from '@remit/protocol/inclusion/paymentProof'
import { PAYMENT_KINDS } from '@remit/protocol/payments/Payment'
import * as z from 'zod'

// The proofs as the API gives them. `prove.ts` makes them; docs/proofs.md says how readers check them.

/** An amount in a proof: text in every language, so that the file is the same to the byte. */
const Units = z
  .string()
  .regex(/^(0|[1-9]\d{0,77})$/)
  .describe('In the token’s smallest unit, decimal.')

const Nodes = z.array(Bytes).readonly().describe('The nodes of the trie from its root on, RLP.')

/** Shows a payment to anybody who knows the hash of its block. */
export const PaymentProof = z
  .object({
    type: z.literal(PAYMENT_PROOF),
    chainId: ChainId,
    contract: Address,
    blockHash: BlockHash,
    header: Bytes.describe('The block’s header, RLP. Its Keccak-256 is the hash of the block.'),
    receipt: z.object({
      transactionIndex: z.int().min(0),
      nodes: Nodes,
      log: z.int().min(0).describe('The payment’s first log among the receipt’s own, from 0.'),
    }),
    payment: z.object({
      kind: z.enum(PAYMENT_KINDS.filter((kind) => kind !== 'cancelled')),
      subscriptionId: SubscriptionId,
      provider: Address,
      subscriber: Address,
      token: Address,
      dayNumber: DayNumber,
      // What the subscriber paid: the next two together. Where the membership ended it is 0, and `toProvider` or `toSubscriber` is what
      // became of its fee balance. The last two went out of the fee balance, to remit's caller and to the system.
      charged: Units,
      toProvider: Units,
      toFeeBalance: Units,
      toSubscriber: Units,
      callerFee: Units,
      systemShare: Units,
    }),
  })
  .meta({ id: 'PaymentProof' })

/** Shows to anybody who knows the hash of a block whether an account is a member then. */
export const MembershipProof = z
  .object({
    type: z.literal(MEMBERSHIP_PROOF),
    chainId: ChainId,
    contract: Address,
    blockHash: BlockHash,
    header: Bytes.describe('The block’s header, RLP. Its Keccak-256 is the hash of the block.'),
    account: Nodes,
    slots: z
      .array(Nodes)
      .readonly()
      .describe(
        'For each slot that makes somebody a member (docs/proofs.md), the way from the contract’s root.',
      ),
    membership: z.object({
      subscriptionId: SubscriptionId,
      subscriber: Address,
      isMember: z.boolean(),
      provider: Address,
      token: Address,
      amount: Units.describe('One period, in protocol units (18 decimals), decimal.'),
      frequency: FrequencyNumber,
      dueDay: z.int(),
      cancelled: z.boolean(),
    }),
  })
  .meta({ id: 'MembershipProof' })
