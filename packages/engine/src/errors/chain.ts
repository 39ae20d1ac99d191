import type { Address, Hex } from 'viem'
import { errorOf, type Fact } from './base.ts'

// What a chain or its nodes can fail with, in every operation that reads one.

export class SubscriptionNotFoundError extends errorOf(
  404,
  'NOT_FOUND',
  'the subscription does not exist on the chain',
) {
  constructor(id: Hex, chainId: number) {
    super(`There is no subscription ${id} on chain ${chainId}.`, { facts: { id } })
  }
}

export class TokenNotApprovedError extends errorOf(
  404,
  'NOT_FOUND',
  'the protocol has not approved the token',
) {
  constructor(token: Address, chainId: number) {
    super(`The protocol on chain ${chainId} has not approved the token ${token}.`, { facts: { token } })
  }
}

/** A view of the contract, or a call of a token, failed inside a read. Its value is never replaced by zero. */
export class ViewFailedError extends errorOf(502, 'UPSTREAM_ERROR', 'a view of the contract cannot be read') {
  constructor(view: string, message: string, options: { cause?: unknown } = {}) {
    super(message, { facts: { view }, ...options })
  }
}

/** The next day to check is after the year 9999: the administrator can set the contract to any day. */
export class DayBeyondCalendarError extends errorOf(
  502,
  'UPSTREAM_ERROR',
  'the contract is set to a day after the year 9999',
) {
  constructor(dayNumber: number) {
    super(
      `The contract is set to day ${dayNumber}, which is after the year 9999: remit collects nothing until its ` +
        'administrator sets it back.',
      { facts: { dayNumber } },
    )
  }
}

/** The chain's RPC failed. The node's message may hold a URL with a key, so it is only kept as the cause. */
export class UpstreamError extends errorOf(502, 'UPSTREAM_ERROR', 'the chain could not be asked') {
  /** @param chainId `undefined` where the node did not even say which one it is */
  constructor(chainId: number | undefined, options: { cause?: unknown } = {}) {
    const chain = chainId === undefined ? 'The chain' : `Chain ${chainId}`
    super(`${chain} could not be read just now; try again shortly.`, {
      facts: { upstream: 'rpc' },
      ...options,
    })
  }
}

export class UpstreamTimeoutError extends errorOf(
  504,
  'UPSTREAM_TIMEOUT',
  'the chain was too slow to answer',
) {
  constructor(chainId: number, options: { cause?: unknown } = {}) {
    super(`Chain ${chainId} did not answer in time; try again shortly.`, {
      facts: { upstream: 'rpc' },
      ...options,
    })
  }
}

/** What remit will do on the days to come is unknown, and could not be found out in time. */
export class ForecastUnavailableError extends errorOf(
  503,
  'FORECAST_UNAVAILABLE',
  'what remit will do could not be simulated for a minute',
) {
  constructor(chainId: number, options: { cause?: unknown } = {}) {
    super(
      `What remit will do on chain ${chainId} could not be simulated in time, and nothing newer than a minute is known of it. Try again.`,
      { facts: { chainId }, retryAfterSeconds: 5, ...options },
    )
  }
}

/** No node of the chain has eth_simulateV1, and nothing else can run a transaction at another time. */
export class SimulationUnsupportedError extends errorOf(
  502,
  'SIMULATION_UNSUPPORTED',
  'no node of the chain has eth_simulateV1',
) {
  constructor(chainId: number, options: { cause?: unknown } = {}) {
    super(
      `None of the nodes of chain ${chainId} has eth_simulateV1, so nothing can be tried there as of another day.`,
      { facts: { upstream: 'rpc' }, ...options },
    )
  }
}

/** The chain is configured wrongly. Only the operator can correct that: waiting does not help. */
export class ChainMisconfiguredError extends errorOf(
  503,
  'CHAIN_MISCONFIGURED',
  'the operator named a contract that is not the protocol’s, or nodes of another chain',
) {
  /** @param problem a sentence that names the variable; it goes to callers, so it holds no URL */
  constructor(chainId: number, problem: string) {
    super(
      `Chain ${chainId} is misconfigured here, and only the operator of this service can fix it. ${problem}`,
      {
        facts: { chainId },
      },
    )
  }
}

export class BlockNotSeenError extends errorOf(503, 'BLOCK_NOT_SEEN', 'a block has not been seen in time') {
  private constructor(message: string, facts: Record<string, Fact>) {
    super(message, { facts, retryAfterSeconds: 1 })
  }

  /** `minBlock` asks for a block that is still to come. */
  static minBlock(minBlock: number, headNumber: number): BlockNotSeenError {
    const message = `Block ${minBlock} has not been seen yet: the head is ${headNumber}. Try again.`
    return new BlockNotSeenError(message, { minBlock, headNumber })
  }

  /** For a chain that does not answer at present. */
  static none(chainId: number): BlockNotSeenError {
    return new BlockNotSeenError(`Chain ${chainId} does not answer at present. Try again.`, { chainId })
  }
}

export class CursorStaleError extends errorOf(
  409,
  'CURSOR_STALE',
  'a block that the cursor stands on is gone, or too much has happened since',
) {
  constructor() {
    super('The list has changed under this cursor; start again from its first page.')
  }
}
