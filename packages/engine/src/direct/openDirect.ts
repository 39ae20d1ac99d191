import { Chains } from '../chain/Chains.ts'
import type { ChainEntry } from '../chain/registry.ts'
import { answerOnChain, BlockAnswers } from '../declare/chainAnswers.ts'
import { type Answer, decode } from '../declare/codec.ts'
import type { CallContext } from '../declare/contexts.ts'
import type { ChainOperation } from '../declare/operation.ts'
import { IndexUnavailableError } from '../errors/history.ts'
import type { EventLog } from '../ports/events.ts'
import type { Forecaster } from '../ports/forecasts.ts'
import type { HistoryPort } from '../ports/history.ts'
import type { Log } from '../ports/log.ts'
import type { NodeRequest } from '../ports/nodes.ts'
import type { FindOutstandingPermits } from '../ports/rescues.ts'
import type { LogWatch, WatchSubject } from './LogWatch.ts'

/** What an operation is asked for. */
export interface DirectCall {
  /** JSON, as it would travel. */
  readonly input: unknown
  /** Waits up to 2 s for this block. As the input, it is JSON. */
  readonly minBlock?: unknown
  readonly signal?: AbortSignal | undefined
}

/** Asks an operation of a chain, and throws what it throws: errors with a code and a status, as a service sends them. */
export type AskDirect = (operation: ChainOperation, call: DirectCall) => Promise<Answer>

/** One chain without a service. */
export interface DirectChain {
  readonly ask: AskDirect
  /**
   * Watches the contract's logs, from the head or after a position. New blocks are asked for until the last watch is closed.
   * Throws ValidationError for a position of something else.
   */
  watch(subject: WatchSubject, after: string | undefined): Promise<LogWatch>
}

/**
 * One chain without a service: operations are answered here, from a node alone. What needs an index throws
 * IndexUnavailableError, or is answered with what a service without an index answers. There is no caller but whoever
 * runs it, so nobody's requests are counted; inputs are bounded as for a caller with a key (the lane "developer"). Nothing is asked before the first call, and
 * nothing between calls, unless it is watched.
 * @param options.request asks the node, in place of the entry's URLs
 * @param options.outstandingPermits finds signed permits that its user knows of; by default none is known
 */
export function openChain(options: {
  readonly entry: ChainEntry
  readonly request?: NodeRequest | undefined
  readonly outstandingPermits?: FindOutstandingPermits | undefined
  readonly log?: Log
  /** Unix time in milliseconds; default the clock of this machine. */
  readonly wallNow?: () => number
}): DirectChain {
  const { entry, request, outstandingPermits, log = SILENT, wallNow = Date.now } = options
  const { chainId } = entry
  const chains = openChains({
    entries: [entry],
    defaultChainId: chainId,
    request,
    outstandingPermits,
    log,
    wallNow,
  })
  const answers = new BlockAnswers()
  let watches = 0
  const ask: AskDirect = async (operation, { input, minBlock, signal }) => {
    const decodedCall = decode(operation, { input, minBlock }, 'developer')
    return answerOnChain({
      chains,
      ...WITHOUT_INDEX,
      answers,
      operation,
      chainId,
      input,
      decodedCall,
      options: {
        ...(decodedCall.minBlock === undefined ? {} : { minBlock: decodedCall.minBlock }),
        ...(signal === undefined ? {} : { signal }),
      },
      context: contextOf(signal),
    })
  }
  return {
    ask,
    async watch(subject, after) {
      const { LogWatch } = await import('./LogWatch.ts')
      const onClosed = () => {
        watches -= 1
        if (watches === 0) chains.stop()
      }
      const watch = new LogWatch({ chains, chainId, subject, after, log, onClosed })
      watches += 1
      if (watches === 1) chains.start()
      return watch
    },
  }
}

/** As openChain, for those who only ask. */
export function openDirect(options: Parameters<typeof openChain>[0]): AskDirect {
  return openChain(options).ask
}

/** Chains of a process that has no thread for forecasts: each is made when it is asked for. */
export function openChains(options: Omit<ConstructorParameters<typeof Chains>[0], 'forecaster'>): Chains {
  const forecaster: Forecaster = {
    async make({ chainId, block, now, lastDay }) {
      // Loaded when first needed: it is much code, and few calls need a forecast.
      const { makeForecast } = await import('../operations/outlook/makeForecast.ts')
      return chains.withView(chainId, { block, now }, (view) => makeForecast(view, lastDay))
    },
  }
  const chains: Chains = new Chains({ ...options, forecaster })
  return chains
}

// What stands in for an index and for the service's other parts.

const off = (chainId: number) => Promise.reject(IndexUnavailableError.off(chainId))
const history: HistoryPort = { health: () => null, indexedAt: off, snapshot: off }
const events: EventLog = { read: off, end: off, state: async () => undefined, waitFor: async () => false }
/** The ports of a process without an index. Long polls need no count: nobody shares them. */
export const WITHOUT_INDEX = { history, events, longPolls: { wait: () => () => {} } }

/** The service alone signs passes. */
const noPasses = () => Promise.reject(new RangeError('passes are signed by a service'))

function contextOf(signal: AbortSignal | undefined): CallContext {
  return {
    requestId: newRequestId(),
    lane: 'developer',
    signal,
    passes: { graceDays: 0, issue: noPasses, keys: noPasses },
  }
}

/** A random UUID (version 4). Pages without TLS have no `crypto.randomUUID`. */
function newRequestId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5')
}

/** A library's log says nothing unless its user gives one. */
const SILENT: Log = { info() {}, warn() {}, error() {} }
