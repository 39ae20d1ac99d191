/**
 * The gate: for each request, `check` says who is asking, or which answer they get instead.
 * 1. A request shows a signature (a sign-in with a wallet), or a pass (a token that the service has signed), or nothing.
 * 2. What it shows is verified. For a signature the service is then asked whether that wallet is a member of one of the plans; a pass says
 *    so itself.
 * 3. Who is no member gets the answer 402. Where something could not be read, the answer is 503.
 * What the service answers is kept for a while (`KeptAnswers`), so it is not asked for each request.
 */

import { type Address, getAddress, type Hex } from 'viem'
import { type GateMembership, type GateOptions, type GatePlan, readGateOptions } from './GateOptions.ts'
import { KeptAnswers } from './KeptAnswers.ts'
import { type PlanOnOffer, paymentRequired } from './paymentRequired.ts'
import { isSignedByContract, isSignedByKey, NotAdmitted, readSignIn, type SignIn } from './signIn.ts'
import { type PassKeySet, PassRefusedError, verifyPass } from './verifyPass.ts'

/** The most memberships that are kept at once. */
const MOST_MEMBERSHIPS = 10_000
/** How long the service may take to answer a question about a caller. */
const ASK_WITHIN_MS = 5_000
/** Ten minutes: all that can change of a plan's terms is that its provider cancels it. */
const KEEP_TERMS_MS = 600_000
/** How long the service's keys for passes are kept: an hour. */
const KEEP_KEYS_MS = 3_600_000
/** For an unknown key the keys are read anew at most this often: anybody can show a pass with an invented key. */
const READ_KEYS_AGAIN_MS = 60_000

/** Somebody who may enter. */
export interface Member {
  readonly address: Address
  readonly chainId: number
  /** The plan that lets in: where several do, the first that the gate names. */
  readonly subscriptionId: Hex
  /** The last day that is paid for, as YYYY-MM-DD; null after the year 9999. By a pass it has the service's days of grace. */
  readonly paidThrough: string | null
  /** By what the caller was admitted. */
  readonly shown: 'signature' | 'pass'
}

/** What a gate reads of a request: a `Request` fits. */
export interface GateRequest {
  /** Its path and query are told in the answer 402; the rest does not count. */
  readonly url: string
  readonly headers: { get(name: string): string | null }
}

export interface Gate {
  /**
   * Who is asking, or the answer to give them: 402 with what to sign and where to subscribe, or 503 where a membership
   * could not be read. Nobody enters by a failure.
   */
  check(request: GateRequest): Promise<{ readonly member: Member } | Response>
}

/**
 * Opens an API to members of subscriptions. A caller shows a pass, or signs in by x402's extension `sign-in-with-x`,
 * whose clients do it by themselves.
 *
 * Throws TypeError or RangeError for options that cannot be used.
 *
 * @example
 * import { createGate } from '@remit/client/gate'
 *
 * const gate = createGate({ url: 'https://api.example', chainId: 8453, plans: [{ id }], client })
 * const checked = await gate.check(request)
 * if (!(checked instanceof Response)) console.log(checked.member.address)
 */
export function createGate(options: GateOptions): Gate {
  const read = readGateOptions(options)
  const { url, chainId, plans, client, passes, node, usedSignatures, now } = read
  const signInTerms = { url, chainId, lifeMs: read.signatureSeconds * 1_000 }
  const memberships = new KeptAnswers<GateMembership | undefined>({
    keepMs: read.keepMs,
    most: MOST_MEMBERSHIPS,
    now,
  })
  const terms = new KeptAnswers<PlanOnOffer>({ keepMs: KEEP_TERMS_MS, most: plans.length, now })
  const keys = new KeptAnswers<PassKeySet>({ keepMs: KEEP_KEYS_MS, most: 1, now })
  const newKeys = new KeptAnswers<PassKeySet>({ keepMs: READ_KEYS_AGAIN_MS, most: 1, now })
  /** The chain that the gate's node is on, asked for once. */
  let nodesChain: Promise<number> | undefined

  async function admit({ headers }: GateRequest): Promise<Member> {
    const signed = headers.get('SIGN-IN-WITH-X')
    if (signed !== null) return bySignature(signed)
    const bearer = /^Bearer +(\S+)$/i.exec(headers.get('Authorization') ?? '')?.[1]
    if (passes !== undefined && bearer !== undefined) return byPass(bearer, passes)
    throw new NotAdmitted('NOTHING_SHOWN', 'Only members may enter: sign in with the wallet that subscribes.')
  }

  async function bySignature(header: string): Promise<Member> {
    const signIn = readSignIn(header, signInTerms, now())
    if (!(await isSignedByKey(signIn))) await requireContract(signIn)
    const member = await memberAt(signIn.address)
    // After the membership was read: if reading it fails, the caller can show the same signature again.
    const key = `${url} ${signIn.address} ${signIn.nonce}`
    if (usedSignatures !== undefined && !(await usedSignatures.claim(key, signIn.expiresMs)))
      throw new NotAdmitted('SIGN_IN_REFUSED', 'This signature was used before: sign a new message.')
    return member
  }

  /** Throws NotAdmitted unless the wallet is a contract that confirms the signature. */
  async function requireContract(signIn: SignIn): Promise<void> {
    const refuse = (flaw: string) => {
      throw new NotAdmitted(
        'SIGN_IN_REFUSED',
        `The key of ${signIn.address} has not signed this message${flaw}.`,
      )
    }
    if (node === undefined)
      return refuse(
        ', and this gate has no node to ask whether a contract there confirms it (ERC-1271, ERC-6492)',
      )
    nodesChain ??= node.getChainId().catch((error: unknown) => {
      nodesChain = undefined
      throw error
    })
    const found = await nodesChain
    // On another chain the contract at this address may be somebody else's.
    if (found !== chainId)
      throw new Error(`The gate's node is of chain ${found}, its plans are on ${chainId}.`)
    if (!(await isSignedByContract(node, signIn))) refuse(', and no contract there confirms it')
  }

  /** The member at this address. Throws NotAdmitted, or the error of a plan that could not be read if no other plan lets in. */
  async function memberAt(address: Address): Promise<Member> {
    const found = await Promise.allSettled(plans.map((plan) => membershipOf(plan, address)))
    const lapsed: GateMembership[] = []
    for (const [index, { id }] of plans.entries()) {
      const one = found[index]
      const membership = one?.status === 'fulfilled' ? one.value : undefined
      if (membership?.entitled === true) {
        return { address, chainId, subscriptionId: id, paidThrough: dateOf(membership), shown: 'signature' }
      }
      if (membership !== undefined) lapsed.push(membership)
    }
    // A plan that could not be read may be the one that lets this wallet in.
    const failed = found.find((one) => one.status === 'rejected')
    if (failed !== undefined) throw failed.reason
    const lasted = ({ paidThrough }: GateMembership) => paidThrough?.dayNumber ?? 0
    const [ended] = lapsed.toSorted((one, other) => lasted(other) - lasted(one))
    if (ended === undefined)
      throw new NotAdmitted('NOT_A_MEMBER', `${address} is no member: subscribe first.`, address)
    const until = dateOf(ended)
    throw new NotAdmitted(
      'LAPSED',
      `The membership of ${address} has ended${until === null ? '' : `; it was paid through ${until}`}: subscribe again.`,
      address,
    )
  }

  function membershipOf({ id, graceDays = 0 }: GatePlan, address: Address) {
    return memberships.get(`${id} ${address}`, async () => {
      try {
        return await client.getMembership(
          { id, address, chainId, graceDays },
          { signal: AbortSignal.timeout(ASK_WITHIN_MS) },
        )
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'NOT_FOUND') return undefined
        throw error
      }
    })
  }

  async function byPass(
    pass: string,
    { issuer, keys: readKeys, audience = new URL(url).origin }: NonNullable<typeof passes>,
  ) {
    const verifyWith = async (set: PassKeySet) =>
      verifyPass(pass, { keys: set, issuer, audience, now: now() / 1_000 })
    try {
      // There is one set of keys alone, so it is kept under an empty name.
      const found = await keys
        .get('', readKeys)
        .then(verifyWith)
        .catch(async (error: unknown) => {
          if (!(error instanceof PassRefusedError) || error.why !== 'unknown-key') throw error
          return verifyWith(await newKeys.get('', readKeys))
        })
      const plan = plans.find(
        ({ id }) => id.toLowerCase() === found.subscriptionId && found.chainId === chainId,
      )
      if (plan === undefined) throw new PassRefusedError('wrong-subscription')
      return {
        address: getAddress(found.subscriber),
        chainId,
        subscriptionId: plan.id,
        paidThrough: found.entitledThrough.toISOString().slice(0, 10),
        shown: 'pass' as const,
      }
    } catch (error) {
      if (error instanceof PassRefusedError) throw new NotAdmitted('PASS_REFUSED', error.message)
      throw error
    }
  }

  /** The plans with their terms, for the answer 402. */
  async function offered(): Promise<readonly PlanOnOffer[]> {
    return Promise.all(
      plans.map(({ id }) =>
        terms.get(id, async () => {
          const { subscription } = await client.getSubscription(
            { id, chainId },
            { signal: AbortSignal.timeout(ASK_WITHIN_MS) },
          )
          return { id, terms: subscription }
        }),
      ),
    )
  }

  return {
    async check(request) {
      try {
        try {
          return { member: await admit(request) }
        } catch (refusal) {
          if (!(refusal instanceof NotAdmitted)) throw refusal
          const found = { refusal, requestedUrl: request.url, plans: await offered(), signInTerms }
          return paymentRequired(read, found)
        }
      } catch (error) {
        read.onError?.(error)
        return Response.json(
          {
            error: 'Whether you are a member cannot be read at the moment: try again soon.',
            code: 'MEMBERSHIP_UNREADABLE',
          },
          { status: 503, headers: { 'Cache-Control': 'no-store', 'Retry-After': '5' } },
        )
      }
    },
  }
}

function dateOf({ paidThrough }: GateMembership): string | null {
  return paidThrough === null ? null : paidThrough.date
}
