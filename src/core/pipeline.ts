import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { RateLimitedError, UnauthorizedError } from '../errors/access.ts'
import { ApiDisabledError } from '../errors/http.ts'
import { inputSentence, ValidationError } from '../errors/input.ts'
import { toRemitError } from '../errors/toWire.ts'
import { ChainIdParam } from '../schema/chainId.ts'
import { BlockNumber } from '../schema/numbers.ts'
import { fromChain, fromIndex } from './answering.ts'
import type { Bucket, Metering, Toll } from './lanes.ts'
import type { Answer, Operation } from './operation.ts'
import {
  type Audience,
  type Charge,
  type ChargingPort,
  type Credentials,
  type Identity,
  type IdentityPort,
  unmetered,
} from './ports/access.ts'
import type { ChainsPort } from './ports/chains.ts'
import type { HistoryPort } from './ports/history.ts'
import type { KeysPort } from './ports/keys.ts'
import type { ServicePort } from './ports/service.ts'
import { currentTrace } from './RequestTrace.ts'
import { Spending } from './Spending.ts'
import type { ServedDocument } from './servedDocument.ts'

export type Surface = 'rest' | 'mcp'

/** One HTTP request's caller, known before anything else of the request is looked at. */
export interface Caller {
  readonly requestId: string
  readonly identity: Identity
  readonly surface: Surface
  readonly signal: AbortSignal | undefined
  /** What this request has taken; the pipeline notes it. */
  readonly spending: Spending
}

/** What every operation on a chain accepts beside its own input. */
export const chainParameters = {
  chainId: ChainIdParam.optional(),
  minBlock: BlockNumber.optional().describe(
    'Wait up to 2 s until this block has been seen, so that a wallet reads its own writes.',
  ),
}

/** An operation's input as a surface found it: not yet decoded. */
export interface RawCall {
  /** Already resolved by `chainId()`, since it is judged before the route is. */
  readonly chainId: number
  readonly minBlock?: unknown
  readonly input: unknown
}

export interface PipelinePorts {
  readonly identities: IdentityPort
  readonly charging: ChargingPort
  readonly chains: ChainsPort
  readonly history: HistoryPort
  readonly keys: KeysPort
  readonly service: ServicePort
}

/**
 * The one way from a request to an answer, in one order for every surface: who is calling → which chain →
 * (the surface finds the route) → is the minute spent → read and decode → take all buckets → handle → encode.
 */
export function createPipeline({ identities, charging, chains, history, keys, service }: PipelinePorts) {
  const openTo: Record<Surface, ReadonlySet<number>> = {
    rest: new Set(chains.rows.filter((row) => row.rest).map((row) => row.chainId)),
    mcp: new Set(chains.rows.filter((row) => row.mcp).map((row) => row.chainId)),
  }

  /** Tells who is calling. Throws what `identify` throws. */
  async function enter(
    surface: Surface,
    credentials: Credentials,
    signal?: AbortSignal,
    audience: Audience = 'callers',
  ): Promise<Caller> {
    const identity = await identities.identify(credentials, audience)
    const trace = currentTrace()
    trace?.entered(surface, identity, signal)
    return {
      requestId: trace?.requestId ?? randomUUID(),
      identity,
      surface,
      signal,
      spending: new Spending(),
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

  /** Charges a request that is refused before limits are looked at, where that much is left. */
  async function chargeRefused(caller: Caller): Promise<void> {
    try {
      await chargeUnfit(caller)
    } catch (thrown) {
      if (!(thrown instanceof RateLimitedError)) throw thrown
    }
  }

  /** Charges a request that does not fit. Throws RateLimitedError. */
  async function chargeUnfit(caller: Caller): Promise<void> {
    await charge(caller, 'metered', [])
  }

  /** Charges a message that calls nothing. Throws RateLimitedError. */
  async function chargeMessage(caller: Caller): Promise<void> {
    await charge(caller, 'message', [])
  }

  async function charge(caller: Caller, toll: Toll, buckets: readonly Bucket[]): Promise<Charge> {
    return noting(caller, async () => {
      const taken = await chargingOf(caller).take(caller.identity, toll, buckets)
      caller.spending.note(taken.quotas)
      return taken
    })
  }

  function chargingOf({ identity }: Caller): ChargingPort {
    return identity.operator ? unmetered : charging
  }

  async function noting<T>({ spending }: Caller, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (thrown) {
      if (thrown instanceof RateLimitedError) spending.note(thrown.quotas)
      throw thrown
    }
  }

  /**
   * Runs one operation.
   * @param read yields the raw input; called only where the minute's total is not spent yet
   */
  async function call(caller: Caller, operation: Operation, read: () => Promise<RawCall>): Promise<Answer> {
    currentTrace()?.called(operation)
    if (!service.apiEnabled && !operation.whileDisabled) throw new ApiDisabledError()
    // However a surface came to call it: nobody else is let at keys.
    if (operation.audience === 'operators' && !caller.identity.operator) throw UnauthorizedError.admin(false)
    await admit(caller, operation.metering)
    const run = await decode(caller, operation, read)
    const buckets = caller.surface === 'mcp' ? operation.toolBuckets : operation.buckets
    const taken = await charge(caller, operation.metering, buckets)
    try {
      return await run()
    } catch (thrown) {
      // What failed for no fault of the caller's does not cost it the scarce units; hanging up would be its own.
      const isOurs = toRemitError(thrown).status >= 500 && !caller.signal?.aborted
      if (isOurs && buckets.length > 0) await taken.giveBack()
      throw thrown
    }
  }

  /**
   * Runs an operation whose answer is for the service's own use: no caller pays for it.
   *
   * Whoever calls this bounds how often it is done.
   */
  async function callForItself(operation: Operation, raw: RawCall): Promise<Answer> {
    const identity: Identity = { lane: 'developer', id: 'itself' }
    const caller: Caller = {
      requestId: randomUUID(),
      identity,
      surface: 'rest',
      signal: undefined,
      spending: new Spending(),
    }
    return bind(caller, operation, raw)()
  }

  /**
   * Lets a document be read: judged and charged in the same order as an operation.
   * @param judge throws where the request does not fit
   */
  async function serve(caller: Caller, document: ServedDocument, judge: () => void): Promise<void> {
    currentTrace()?.called({ name: document.name, rest: { method: 'GET', path: document.path } })
    // What they describe is switched off.
    if (!service.apiEnabled) throw new ApiDisabledError()
    await admit(caller, document.metering)
    try {
      judge()
    } catch (thrown) {
      await chargeUnfit(caller)
      throw thrown
    }
    await charge(caller, document.metering, [])
  }

  /** Throws RateLimitedError where the minute's total is spent. Takes nothing. */
  async function admit(caller: Caller, metering: Metering): Promise<void> {
    if (metering === 'counted') return
    await noting(caller, () => chargingOf(caller).admit(caller.identity))
  }

  async function decode(caller: Caller, operation: Operation, read: () => Promise<RawCall>) {
    try {
      return bind(caller, operation, await read())
    } catch (thrown) {
      await chargeUnfit(caller)
      throw thrown
    }
  }

  function bind(caller: Caller, operation: Operation, raw: RawCall): () => Promise<Answer> {
    const { signal } = caller
    const context = { requestId: caller.requestId, lane: caller.identity.lane, signal }
    const minBlock = operation.onChain ? decodeMinBlock(raw.minBlock) : undefined
    const options = {
      ...(minBlock === undefined ? {} : { minBlock }),
      ...(signal === undefined ? {} : { signal }),
    }
    const bound = operation.bind(raw.input, caller.identity.lane)
    switch (bound.scope) {
      case 'service':
        return () => bound.run({ ...context, service })
      case 'keys':
        return () => bound.run({ ...context, keys })
      case 'chain':
        return () => fromChain({ chains, history, chainId: raw.chainId, options, context }, bound)
      case 'index':
        return () => fromIndex({ chains, history, chainId: raw.chainId, options, context }, bound)
    }
  }

  return { enter, chainId, chargeRefused, chargeUnfit, chargeMessage, call, callForItself, serve }
}

export type Pipeline = ReturnType<typeof createPipeline>

const MinBlock = z.object({ minBlock: chainParameters.minBlock })

function decodeMinBlock(value: unknown): number | undefined {
  const parsed = MinBlock.safeParse({ minBlock: value }, { error: inputSentence })
  if (!parsed.success) throw ValidationError.fromZod(parsed.error)
  return parsed.data.minBlock
}
