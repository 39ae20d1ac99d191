import type { Address, Hex } from 'viem'
import { parseUrl } from '../request/parseUrl.ts'
import type { GatePlanTerms, ReadGateOptions } from './GateOptions.ts'
import { challengeOf, type NotAdmitted, newNonce, type SignInTerms } from './signIn.ts'

/** What x402 calls a scheme of payment. It is none of x402's own, or clients would pay by one transfer, which makes nobody a member. */
const SCHEME = 'remit-subscription'

/** A plan and what it costs, as the client has told it. */
export interface PlanOnOffer {
  readonly id: Hex
  readonly terms: GatePlanTerms
}

/**
 * The answer 402, as x402 (version 2) has it: in the header `PAYMENT-REQUIRED`, which its clients read, and as the body.
 *
 * @param requestedUrl where the request went; only its path and query count
 */
export function paymentRequired(
  options: ReadGateOptions,
  {
    refusal,
    requestedUrl,
    plans,
    signInTerms,
  }: {
    readonly refusal: NotAdmitted
    readonly requestedUrl: string
    readonly plans: readonly PlanOnOffer[]
    readonly signInTerms: SignInTerms
  },
): Response {
  const network = `eip155:${options.chainId}`
  const body = {
    x402Version: 2,
    error: refusal.message,
    code: refusal.code,
    resource: {
      url: resourceAt(options.url, requestedUrl),
      description: 'Open to members of a subscription.',
    },
    accepts: plans.map((plan) => ({
      scheme: SCHEME,
      network,
      amount: String(plan.terms.amountRaw),
      asset: plan.terms.token.address,
      payTo: plan.terms.provider,
      maxTimeoutSeconds: options.signatureSeconds,
      extra: describe(plan, options, refusal.address),
    })),
    extensions: {
      'sign-in-with-x': {
        info: challengeOf(signInTerms, newNonce(), options.now()),
        supportedChains: [{ chainId: network, type: 'eip191' }],
        schema: SIGN_IN_SCHEMA,
      },
    },
  }
  const text = JSON.stringify(body)
  return new Response(text, {
    status: 402,
    headers: {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      'PAYMENT-REQUIRED': base64(text),
      // So that a page of another site can read it, where the API lets such pages in.
      'Access-Control-Expose-Headers': 'PAYMENT-REQUIRED',
    },
  })
}

/** What a plan costs per period, and how to subscribe to it. @param from who asks, where it is known */
function describe(
  { id, terms }: PlanOnOffer,
  { service, chainId }: Pick<ReadGateOptions, 'service' | 'chainId'>,
  from: Address | undefined,
) {
  const { amount, token, frequencyLabel, dueDay, cancelled } = terms
  const plan = {
    subscriptionId: id,
    chainId,
    amount,
    symbol: token.symbol,
    period: frequencyLabel,
    dueDay,
    cancelled,
  }
  // Nobody can subscribe to it any more; its members stay for what they have paid.
  if (cancelled) return plan
  const prepare = {
    operation: 'prepare_subscribe_by_id',
    ...(service === undefined
      ? {}
      : { method: 'POST', url: `${service}/prepare/subscribe_by_id?chainId=${chainId}` }),
    // `from` is the wallet that subscribes.
    input: { id, ...(from === undefined ? {} : { from }) },
  }
  return service === undefined
    ? { ...plan, prepare }
    : { ...plan, subscribe: `${service}/subscribe/${id}?chainId=${chainId}`, prepare }
}

/** The requested address as the public knows it. */
function resourceAt(url: string, requestedUrl: string): string {
  const resource = new URL(url)
  const requested = parseUrl(requestedUrl, url)
  if (requested === undefined) return url
  resource.pathname = requested.pathname
  resource.search = requested.search
  return resource.href
}

function base64(text: string): string {
  const bytes = new TextEncoder().encode(text)
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}

const text = { type: 'string' }
const uri = { type: 'string', format: 'uri' }
const time = { type: 'string', format: 'date-time' }

/** Of the header in which a client shows what it has signed. */
const SIGN_IN_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    domain: text,
    address: text,
    statement: text,
    uri,
    version: text,
    chainId: text,
    type: text,
    nonce: text,
    issuedAt: time,
    expirationTime: time,
    resources: { type: 'array', items: uri },
    signature: text,
  },
  required: [
    'domain',
    'address',
    'statement',
    'uri',
    'version',
    'chainId',
    'type',
    'nonce',
    'issuedAt',
    'expirationTime',
    'resources',
    'signature',
  ],
}
