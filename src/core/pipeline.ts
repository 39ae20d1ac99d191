import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { ApiDisabledError, ShuttingDownError } from '../errors/http.ts'
import { inputSentence, ValidationError } from '../errors/input.ts'
import { toRemitError } from '../errors/toWire.ts'
import { ChainIdParam } from '../schema/chainId.ts'
import { BlockNumber } from '../schema/numbers.ts'
import type { Charge, ChargingPort, Credentials, Identity, IdentityPort, Quota } from './access.ts'
import { fromChain, fromIndex } from './answering.ts'
import type { ChainsPort } from './chains.ts'
import type { HistoryPort } from './history.ts'
import type { Operation } from './operation.ts'
import type { ServicePort } from './service.ts'

export type Surface = 'rest' | 'mcp'

/** One HTTP request's caller, known before anything else of the request is looked at. */
export interface Caller {
  readonly requestId: string
  readonly identity: Identity
  readonly surface: Surface
  readonly signal: AbortSignal | undefined
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

export interface Answer {
  readonly body: Record<string, unknown>
  readonly quotas: readonly Quota[]
}

export interface PipelinePorts {
  readonly identities: IdentityPort
  readonly charging: ChargingPort
  readonly chains: ChainsPort
  readonly history: HistoryPort
  readonly service: ServicePort
}

/**
 * The one way from a request to an answer, in one order for every surface: who is calling → which chain →
 * (the surface finds the route) → is the minute spent → read and decode → take all buckets → handle → encode.
 */
export function createPipeline({ identities, charging, chains, history, service }: PipelinePorts) {
  const openTo: Record<Surface, ReadonlySet<number>> = {
    rest: new Set(chains.rows.filter((row) => row.rest).map((row) => row.chainId)),
    mcp: new Set(chains.rows.filter((row) => row.mcp).map((row) => row.chainId)),
  }

  /** Tells who is calling. Throws UnauthorizedError. */
  async function enter(surface: Surface, credentials: Credentials, signal?: AbortSignal): Promise<Caller> {
    const identity = await identities.identify(credentials)
    return { requestId: randomUUID(), identity, surface, signal }
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

  /** Charges what a request costs that never became a call of an operation. Throws RateLimitedError. */
  async function chargeRefused(caller: Caller): Promise<Charge> {
    return charging.take(caller.identity, 'metered', [])
  }

  /**
   * Runs one operation.
   * @param read yields the raw input; called only where the minute's total is not spent yet
   */
  async function call(caller: Caller, operation: Operation, read: () => Promise<RawCall>): Promise<Answer> {
    if (operation.onChain && !service.apiEnabled) throw new ApiDisabledError()
    if (operation.metering === 'metered') {
      if (service.draining()) throw new ShuttingDownError()
      await charging.admit(caller.identity)
    }
    const run = await decode(caller, operation, read)
    const buckets = caller.surface === 'mcp' ? operation.toolBuckets : operation.buckets
    const charge = await charging.take(caller.identity, operation.metering, buckets)
    try {
      return { body: await run(), quotas: charge.quotas }
    } catch (thrown) {
      // What failed for no fault of the caller's does not cost it the scarce units.
      if (toRemitError(thrown).status >= 500) await charge.giveBack()
      throw thrown
    }
  }

  async function decode(caller: Caller, operation: Operation, read: () => Promise<RawCall>) {
    try {
      return bind(caller, operation, await read())
    } catch (thrown) {
      await chargeRefused(caller)
      throw thrown
    }
  }

  function bind(caller: Caller, operation: Operation, raw: RawCall): () => Promise<Record<string, unknown>> {
    const { signal } = caller
    const context = { requestId: caller.requestId, lane: caller.identity.lane, signal }
    const minBlock = operation.onChain ? decodeMinBlock(raw.minBlock) : undefined
    const options = {
      ...(minBlock === undefined ? {} : { minBlock }),
      ...(signal === undefined ? {} : { signal }),
    }
    const bound = operation.bind(raw.input)
    switch (bound.scope) {
      case 'service':
        return () => bound.run({ ...context, service })
      case 'chain':
        return () => fromChain({ chains, history, chainId: raw.chainId, options, context }, bound)
      case 'index':
        return () => fromIndex({ chains, history, chainId: raw.chainId, options, context }, bound)
    }
  }

  return { enter, chainId, chargeRefused, call }
}

export type Pipeline = ReturnType<typeof createPipeline>

const MinBlock = z.object({ minBlock: chainParameters.minBlock })

function decodeMinBlock(value: unknown): number | undefined {
  const parsed = MinBlock.safeParse({ minBlock: value }, { error: inputSentence })
  if (!parsed.success) throw ValidationError.fromZod(parsed.error)
  return parsed.data.minBlock
}
