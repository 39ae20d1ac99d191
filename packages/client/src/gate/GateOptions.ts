import type { Address, Hex } from 'viem'
import { requireFinite } from '../call/requireFinite.ts'
import type { GetMembershipAnswer, Subscription } from '../generated/api.ts'
import { baseUrl } from '../request/parseUrl.ts'
import type { GateNode, UsedSignatures } from './signIn.ts'
import type { PassKeySet } from './verifyPass.ts'

/** A subscription whose members may enter. */
export interface GatePlan {
  readonly id: Hex
  /** Days after the last paid one on which somebody who left may still enter; default 0. Not for the dropped. */
  readonly graceDays?: number
}

/** Whom a gate lets in, and whom it asks. */
export interface GateOptions {
  /**
   * Where callers find what is guarded, such as `https://api.example` or `https://api.example/members`. It is part of
   * what they sign, and never taken from a request: a `Host` header says what the caller likes.
   */
  readonly url: string
  /** The chain of the subscriptions. */
  readonly chainId: number
  /** One to eight: a member of any of them may enter. */
  readonly plans: readonly GatePlan[]
  /** Who tells of memberships and prices: a client of the service, or your own. */
  readonly client: GateClient
  /** The service, such as `https://remit.example`, if those who are no members are to be sent there. */
  readonly service?: string
  /** Lets passes in. Without it, signatures alone do. */
  readonly passes?: {
    /** The address of the service that issues them, without a slash at its end. */
    readonly issuer: string
    /** Reads its keys, such as `() => client.getPassKeys()`. They are kept for an hour. */
    readonly keys: () => Promise<PassKeySet>
    /** Default: the origin of `url`. */
    readonly audience?: string
  }
  /**
   * A node of the chain, such as viem's public client, asked whether a wallet that is a contract confirms a signature.
   * Without it, only wallets with a key can sign in.
   */
  readonly node?: GateNode
  /** How long a signature lets in; default 300, at most a day. */
  readonly signatureSeconds?: number
  /** Given, a signature lets in once. Without it, it lets in until it expires. */
  readonly usedSignatures?: UsedSignatures
  /** How long a membership counts before it is asked for again; default 2,000, about a block of Base; at most an hour. */
  readonly keepMs?: number
  /** Hears what failed where the gate answers 503: callers are told no more than that. */
  readonly onError?: (error: unknown) => void
  /** Unix milliseconds; default: the clock of this machine. */
  readonly now?: () => number
}

const MOST_PLANS = 8
const MOST_SIGNATURE_SECONDS = 86_400
const MOST_KEEP_MS = 3_600_000

/** The options with their defaults. Throws TypeError or RangeError, which names the option, for what cannot be used. */
export function readGateOptions(options: GateOptions) {
  const { chainId, plans, signatureSeconds = 300, keepMs = 2_000 } = options
  const url = baseUrl(options.url)
  requireFinite({ chainId, signatureSeconds, keepMs })
  if (!Number.isSafeInteger(chainId) || chainId < 1)
    throw new RangeError('chainId must be a positive integer')
  if (plans.length < 1 || plans.length > MOST_PLANS)
    throw new RangeError(`plans must name 1 to ${MOST_PLANS} subscriptions`)
  for (const { id, graceDays = 0 } of plans) {
    if (!/^0x[0-9a-fA-F]{64}$/.test(id)) throw new TypeError('plans: an id is 32 bytes as 0x-prefixed hex')
    if (!Number.isInteger(graceDays) || graceDays < 0 || graceDays > 366)
      throw new RangeError('plans: graceDays must be 0 to 366')
  }
  if (
    !Number.isInteger(signatureSeconds) ||
    signatureSeconds < 1 ||
    signatureSeconds > MOST_SIGNATURE_SECONDS
  )
    throw new RangeError(`signatureSeconds must be 1 to ${MOST_SIGNATURE_SECONDS}`)
  if (keepMs < 0 || keepMs > MOST_KEEP_MS) throw new RangeError(`keepMs must be 0 to ${MOST_KEEP_MS}`)
  return {
    ...options,
    url,
    signatureSeconds,
    keepMs,
    service: options.service === undefined ? undefined : baseUrl(options.service),
    now: options.now ?? Date.now,
  }
}

export type ReadGateOptions = ReturnType<typeof readGateOptions>

/** What a gate needs to know of a membership. */
export type GateMembership = Pick<GetMembershipAnswer, 'entitled' | 'paidThrough'>

/** What a gate tells those who are no members of a plan. */
export type GatePlanTerms = Pick<
  Subscription,
  'provider' | 'amount' | 'amountRaw' | 'frequencyLabel' | 'dueDay' | 'cancelled'
> & { readonly token: Pick<Subscription['token'], 'address' | 'symbol'> }

/** What a gate asks. A client of the service fits; so does anything else that answers this, such as your own node. */
export interface GateClient {
  /** Answers undefined for a wallet that never subscribed, or rejects with an error whose `code` is NOT_FOUND. */
  getMembership(
    input: {
      readonly id: Hex
      readonly address: Address
      readonly chainId: number
      readonly graceDays?: number
    },
    options: { readonly signal: AbortSignal },
  ): Promise<GateMembership | undefined>
  getSubscription(
    input: { readonly id: Hex; readonly chainId: number },
    options: { readonly signal: AbortSignal },
  ): Promise<{ readonly subscription: GatePlanTerms }>
}
