import { randomUUID } from 'node:crypto'
import type { Audience } from '@remit/engine/declare/access'
import { type AnswersPort, answerOnChain, BlockAnswers, indexAsker } from '@remit/engine/declare/chainAnswers'
import { type Answer, type DecodedCall, decode, toAnswer } from '@remit/engine/declare/codec'
import type { CallContext } from '@remit/engine/declare/contexts'
import type { Bucket, Cost, Lane, Metering } from '@remit/engine/declare/lanes'
import type { NamedSubscription, SubscriptionNames } from '@remit/engine/declare/operation'
import { IndexUnavailableError } from '@remit/engine/errors/history'
import { inputSentence, ValidationError } from '@remit/engine/errors/input'
import { toRemitError } from '@remit/engine/errors/toWire'
import type { ChainsPort } from '@remit/engine/ports/chains'
import type { EventLog } from '@remit/engine/ports/events'
import type { HistoryPort } from '@remit/engine/ports/history'
import type { RescuesPort } from '@remit/engine/ports/rescues'
import { ChainIdParam } from '@remit/engine/schema/chain'
import { DeveloperKeysDisabledError, UnauthorizedError } from '../errors/access.ts'
import { ApiDisabledError } from '../errors/http.ts'
import {
  type ChallengesPort,
  type ChargingPort,
  type Credentials,
  type Identity,
  type IdentityPort,
  unlimitedChallenges,
} from '../ports/access.ts'
import type { KeysPort } from '../ports/keys.ts'
import { noPortal, type PortalPorts } from '../ports/portal.ts'
import type { ServicePort } from '../ports/service.ts'
import type { OpenedSession } from '../ports/sessions.ts'
import type { WebhooksPort } from '../ports/webhooks.ts'
import { type ChargedCaller, createCharging, RequestQuotas } from './charging.ts'
import { countAsNewKey } from './countAsNewKey.ts'
import { OpenStreams } from './OpenStreams.ts'
import { currentTrace } from './RequestTrace.ts'
import type { ServiceContext } from './ServiceContext.ts'
import type { ServedDocument } from './servedDocument.ts'
import type { Operation } from './serviceOperation.ts'

export type Surface = 'rest' | 'mcp'

// What every request passes through, whichever surface (REST or MCP) it came in by. Words: a caller's "lane" is free (counted by address)
// or developer (by key or session); "units" are what a request takes of its limits.

/** The caller of one HTTP request, known before anything else of the request is read. */
export interface Caller extends ChargedCaller {
  readonly requestId: string
  readonly surface: Surface
  /** The session that the browser is to keep; `null`: it is to forget the one that it has. */
  newSession?: OpenedSession | null
}

/** An operation's input before it is decoded. */
export interface RawCall {
  /** Resolved by the pipeline's `chainId()` already: a wrong chain is refused before the route is looked at. */
  readonly chainId: number
  readonly minBlock?: unknown
  readonly input: unknown
  /** Whether an incomplete answer is an error: set for forms such as CSV, where a body's field `error` has no place. */
  readonly complete?: boolean
}

interface PipelinePorts {
  readonly identities: IdentityPort
  readonly charging: ChargingPort
  readonly chains: ChainsPort
  readonly history: HistoryPort
  readonly events: EventLog
  /** Default: nobody has keys. */
  readonly keys?: KeysPort
  /** Default: nobody can sign in. */
  readonly portal?: PortalPorts
  /** The permits that are kept, as a caller may see them. Default: none are. */
  readonly rescuesOf?: ((caller: Identity) => RescuesPort) | undefined
  readonly service: ServicePort
  readonly webhooks: WebhooksPort
  /** Default: no limit. */
  readonly challenges?: ChallengesPort
  /** Counts streams of events and long polls. Default: with the usual limits. */
  readonly streams?: OpenStreams
  /** Default: answers at the newest block are kept and shared by all callers. */
  readonly answers?: AnswersPort
}

/**
 * The steps from a request to an answer. The surface has the caller identified (`identifyCaller`) and the chain resolved (`chainId`), finds
 * the operation, and runs it (`call`): that checks the minute's limit, reads and decodes the input, takes all units, answers and encodes.
 * A step that throws ends it. Input that is refused is charged as a plain request; a failure of ours gives the buckets' units back.
 * MCP reads its body first, since a request may hold many messages, and takes a unit of the minute for each before it is decoded.
 *
 * Each request is charged once: by `call` or `chargeDocument` where it reaches an operation or a document, else by the
 * `charge…` for what it was.
 */
export function createPipeline(ports: PipelinePorts) {
  const { identities, chains, history, events, keys, service, webhooks } = ports
  const { portal = noPortal, challenges = unlimitedChallenges, streams = new OpenStreams() } = ports
  const { answers = new BlockAnswers(), rescuesOf } = ports
  const charging = createCharging(ports.charging)
  /** The answers that never change, by their operation's declaration. */
  const unchanging = new Map<object, Promise<Answer>>()
  /** The surface may make a call that it knows again, by the same object (`RepeatedReads`). Its input is decoded once for each lane. */
  const decodedCalls = new WeakMap<RawCall, Partial<Record<Lane, DecodedCall>>>()
  const openTo: Record<Surface, ReadonlySet<number>> = {
    rest: new Set(chains.rows.filter((row) => row.rest).map((row) => row.chainId)),
    mcp: new Set(chains.rows.filter((row) => row.mcp).map((row) => row.chainId)),
  }

  /**
   * Identifies the caller. Throws what `identify` throws. Credentials that fail are counted by their address. A refusal with 403
   * is charged to the address as one request; where it cannot pay, it gets a RateLimitedError instead.
   */
  async function identifyCaller(
    surface: Surface,
    credentials: Credentials,
    signal?: AbortSignal,
    audience: Audience = 'callers',
  ): Promise<Caller> {
    try {
      return await identified(surface, credentials, signal, audience)
    } catch (thrown) {
      if (toRemitError(thrown).status === 403) await chargeAddress(surface, credentials)
      throw thrown
    }
  }

  /** For a request that is refused whoever sends it (a foreign Host, say): charges its network address, and no key. Throws RateLimitedError. */
  async function chargeAddress(surface: Surface, credentials: Credentials): Promise<Caller> {
    const caller = await identified(surface, credentials, undefined, 'anyone')
    await chargeUnanswered(caller)
    return caller
  }

  async function identified(
    surface: Surface,
    credentials: Credentials,
    signal: AbortSignal | undefined,
    audience: Audience,
  ): Promise<Caller> {
    const identity = await identities.identify(credentials, audience)
    const trace = currentTrace()
    trace?.entered(surface, identity, signal)
    return {
      requestId: trace?.requestId ?? randomUUID(),
      identity,
      surface,
      signal,
      requestQuotas: new RequestQuotas(),
    }
  }

  /** The chain that a request names, or the default one. Throws ValidationError for `chainId`. */
  function chainId(surface: Surface, parameter: unknown): number {
    if (parameter === undefined) return chains.defaultChainId
    const parsed = ChainIdParam.safeParse(parameter, { error: inputSentence })
    if (!parsed.success) {
      throw ValidationError.of('chainId', parsed.error.issues[0]?.message ?? 'is not a chain id')
    }
    if (!openTo[surface].has(parsed.data)) {
      const known = [...openTo[surface]].join(', ')
      throw ValidationError.of('chainId', `names a chain that is not served here; these are: ${known}`)
    }
    return parsed.data
  }

  /** Charges a whole request to its caller, where no operation and no document answers it. Throws RateLimitedError. */
  async function chargeUnanswered(caller: Caller): Promise<void> {
    charging.admit(caller, 'metered')
    await charging.take(caller, 'metered')
  }

  /** Charges a message of MCP, whatever it asks: its share of the minute. Throws RateLimitedError. */
  async function chargeMessage(caller: Caller): Promise<void> {
    charging.admit(caller, 'message')
    await charging.take(caller, 'message')
  }

  /** Charges a call of an unknown tool, on top of its message: the share of the day. Throws RateLimitedError. */
  async function chargeUnknownCall(caller: Caller): Promise<void> {
    await charging.take(caller, 'call')
  }

  /**
   * Checks and charges the read of a document, in the same order as for an operation.
   * @param checkRequest throws where the request is invalid
   */
  async function chargeDocument(
    caller: Caller,
    document: Pick<ServedDocument, 'name' | 'path' | 'metering' | 'whileDisabled'>,
    checkRequest: () => void,
  ): Promise<void> {
    currentTrace()?.called({ name: document.name, rest: { method: 'GET', path: document.path } })
    if (!service.apiEnabled && !document.whileDisabled) throw new ApiDisabledError()
    charging.admit(caller, document.metering)
    try {
      checkRequest()
    } catch (thrown) {
      await chargeUnanswered(caller)
      throw thrown
    }
    await charging.take(caller, document.metering)
  }

  /**
   * Runs one operation for a caller, and charges it.
   * @param read yields the raw input. It is called only while the minute's limit has units left
   */
  async function call(caller: Caller, operation: Operation, read: () => Promise<RawCall>): Promise<Answer> {
    currentTrace()?.called(operation)
    if (!service.apiEnabled && !operation.whileDisabled) throw new ApiDisabledError()
    const cost = costOf(caller, operation.metering)
    charging.admit(caller, cost)
    let raw: RawCall
    let asked: DecodedCall
    try {
      requireAudience(caller, operation)
      raw = await read()
      asked = decodeCall(caller, operation, raw)
    } catch (thrown) {
      // A request that is refused here takes from the totals, also where the operation takes nothing: refusing is work too.
      await charging.take(caller, costOf(caller, 'metered'))
      throw thrown
    }
    const buckets = bucketsOf(caller, operation, asked)
    return charging.charge(caller, cost, buckets, () => run(caller, operation, raw, asked))
  }

  /** Runs an operation for the service itself. No limit applies, so the code that calls this must bound how often it does so. */
  async function callForItself(operation: Operation, raw: RawCall): Promise<Answer> {
    const caller: Caller = {
      requestId: randomUUID(),
      identity: { lane: 'developer', id: 'itself' },
      surface: 'rest',
      signal: undefined,
      requestQuotas: new RequestQuotas(),
    }
    return run(caller, operation, raw, decodeCall(caller, operation, raw))
  }

  /** What providers call these subscriptions and themselves: untrusted texts, as the index has them now; empty where it cannot be read. */
  async function namesOf(
    { signal }: Caller,
    chainId: number,
    subscriptions: readonly NamedSubscription[],
  ): Promise<SubscriptionNames> {
    const askIndex = indexAsker(history, chainId, signal)
    const known = await askIndex(async (queries) => ({
      descriptions: await queries.descriptions(subscriptions.map(({ id }) => id)),
      companies: await queries.companies(subscriptions.map(({ provider }) => provider)),
    }))
    if (known === undefined) return new Map()
    const { descriptions, companies } = known
    return new Map(
      subscriptions.map(({ id, provider }) => [
        id,
        { description: descriptions.get(id), company: companies.get(provider) },
      ]),
    )
  }

  /** The call with its input decoded. Throws what `decode` throws, and UnauthorizedError for a session of another chain. */
  function decodeCall({ identity }: Caller, operation: Operation, raw: RawCall): DecodedCall {
    const { lane, session } = identity
    const signedInOn = session?.contract?.chainId ?? raw.chainId
    if (operation.onChain && signedInOn !== raw.chainId) throw UnauthorizedError.sessionElsewhere(signedInOn)
    const known = decodedCalls.get(raw)
    const before = known?.[lane]
    if (before !== undefined) return before
    const asked = decode(operation, raw, lane)
    decodedCalls.set(raw, { ...known, [lane]: asked })
    return asked
  }

  /** Answers a decoded call: from what the service keeps (kind `service`; `once`: for good), or from a chain and its index. */
  async function run(
    caller: Caller,
    operation: Operation,
    raw: RawCall,
    asked: DecodedCall,
  ): Promise<Answer> {
    const { requestId, signal, identity } = caller
    const { session, lane } = identity
    // A contract wallet may have other owners by now, so it is asked again whether it signed. A wallet with a key of its own cannot.
    if (session?.contract && operation.asksOwner)
      await chargeExpensive(caller, () => portal.sessions.confirm(session))
    const context = {
      requestId,
      lane,
      signal,
      subject: session?.subject,
      passes: portal.passes,
      rescues: rescuesOf?.(identity),
    }
    if (operation.kind === 'service') {
      const { declaration } = operation
      if (declaration.once === undefined) {
        return toAnswer(operation, await declaration.handle(serviceContext(caller, context, asked)))
      }
      const made =
        unchanging.get(declaration) ??
        declaration.once({ service }).then((result) => toAnswer(operation, result))
      unchanging.set(declaration, made)
      // After a failure the next caller tries again.
      made.catch(() => unchanging.delete(declaration))
      return made
    }
    const { minBlock } = asked
    const options = {
      ...(minBlock === undefined ? {} : { minBlock }),
      ...(signal === undefined ? {} : { signal }),
    }
    const { chainId, input } = raw
    const sources = { chains, history, events, longPolls: streams, answers }
    const question = { operation, chainId, input, decodedCall: asked, options, context }
    const answer = await answerOnChain({ ...sources, ...question })
    const { error } = answer.body
    if (raw.complete === true && typeof error === 'string') throw new IndexUnavailableError(error)
    return answer
  }

  /** What belongs to the caller. Getters, so that a refusal is thrown only if the handler asks for it. */
  function serviceContext(caller: Caller, context: CallContext, { input }: Pick<DecodedCall, 'input'>) {
    const { session, operator } = caller.identity
    const own: ServiceContext & Pick<DecodedCall, 'input'> = {
      ...context,
      input,
      service,
      get keys() {
        if (session !== undefined) return portal.ownKeys(session)
        if (operator !== true) throw UnauthorizedError.admin(false)
        if (keys === undefined) throw new DeveloperKeysDisabledError()
        return keys
      },
      usage: portal.usage,
      webhooks,
      get owner() {
        return ownerOf(caller)
      },
      sessions: portal.sessions,
      current: session,
      chargeExpensive: (ask) => chargeExpensive(caller, ask),
      setSession(opened) {
        caller.newSession = opened
      },
      countNewWebhook: (create) =>
        session ? countAsNewKey(portal.newKeys, session.address, create) : create(),
      takeChallenge: () => challenges.takeChallenge(caller.identity),
    }
    return own
  }

  function chargeExpensive<T>(caller: Caller, ask: () => Promise<T>): Promise<T> {
    return charging.charge(caller, 'additional', ['expensive'], ask)
  }

  return {
    identifyCaller,
    chainId,
    chargeAddress,
    chargeUnanswered,
    chargeMessage,
    chargeUnknownCall,
    call,
    callForItself,
    namesOf,
    chargeDocument,
    streams,
  }
}

export type Pipeline = ReturnType<typeof createPipeline>

/** The cost of a request of this metering. Over MCP, its message has taken a part of it already. */
function costOf({ surface }: Caller, metering: Metering): Cost {
  return surface === 'mcp' && metering === 'metered' ? 'call' : metering
}

/** The buckets that a call takes from, with those that are added where it waits or asks for a proof. */
function bucketsOf({ surface }: Caller, operation: Operation, { input }: DecodedCall): readonly Bucket[] {
  const buckets = surface === 'mcp' ? operation.toolBuckets : operation.buckets
  // `wait` is a number of seconds, `proof` a boolean.
  const added = Object.entries(operation.addedBuckets).filter(([field]) => Number(input[field] ?? 0) > 0)
  return [...new Set([...buckets, ...added.flatMap(([, more]) => more)])]
}

/** Throws UnauthorizedError where the operation is not for this caller. MCP identifies callers before it knows the operation. */
function requireAudience(caller: Caller, { audience }: Operation): void {
  const { operator, session } = caller.identity
  if (audience === 'operators' && !operator && !session) throw UnauthorizedError.admin(false)
  if (audience === 'developers') ownerOf(caller)
}

/** The subject of the caller's key or session, which owns what the caller makes. Throws UnauthorizedError where it has neither. */
function ownerOf({ identity }: Caller): string {
  if (identity.subject === undefined) throw UnauthorizedError.keyNeeded()
  return identity.subject
}
