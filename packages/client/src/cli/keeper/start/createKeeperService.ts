import type { Address } from 'viem'
import type { Client } from '../../../createClient.ts'
import {
  NetworkError,
  NotReadyError,
  RateLimitedError,
  RemitError,
  SimulationFailedError,
  TimeoutError,
  UnexpectedAnswerError,
} from '../../../errors/RemitError.ts'
import type { ListRescuesAnswer, PrepareRemitAnswer } from '../../../generated/api.ts'
import type { OwnWrites } from '../../../request/freshCaller.ts'
import type { ChainReads } from '../../../sending/ChainReads.ts'
import { assertAsShown } from '../../../sending/check/assertAsShown.ts'
import type { OwnCall } from '../../../sending/check/prepareHere.ts'
import { UnsafeTransactionError } from '../../../sending/errors.ts'
import type { SignedPermit } from '../../../sending/signed/SignedPermit.ts'
import { CliError, EXIT } from '../../errors.ts'
import {
  type KeeperService,
  NoRemitError,
  type PreparedRemit,
  ServiceBusyError,
  ServiceFaultError,
} from '../ports.ts'
import { toFault } from '../sendOrder.ts'

/** How long to wait for a limit where the service does not say. */
const USUAL_WAIT_SECONDS = 60

/** The most that the service has on a page. */
const MOST_OFFERS = 25

/** Who calls remit, and by which call. */
interface KeeperCall {
  readonly chainId: number
  readonly account: Address
  readonly call: OwnCall
  readonly reads: Pick<ChainReads, 'head'>
  readonly ownWrites: OwnWrites
  readonly signal: AbortSignal
}

/**
 * The service as a keeper needs it (`KeeperService`). The keeper signs its own call; a service that prepares another one ends it.
 * @param client without retries: the keeper counts and paces every request itself
 */
export function createKeeperService(
  client: Client,
  { chainId, account, call, reads, ownWrites, signal }: KeeperCall,
): KeeperService {
  return {
    async state() {
      const answer = await client.getProtocolState({}, { signal }).catch(rethrow)
      const { chainId, contractAddress, asOf, nextUncheckedDay, currentDay } = answer
      return { chainId, contractAddress, headTimestamp: asOf.timestamp, nextUncheckedDay, currentDay }
    },
    async prepareRemit(onRequest) {
      onRequest()
      const prepared = await client.prepareRemit({ from: account, chainId }, { signal }).catch(rethrow)
      const { blockNumber, timestamp } = await reads.head().catch(rethrow)
      // Just after midnight the service can be a block behind the keeper's own node. It is told which block to see.
      if (timestamp >= (prepared.validUntil ?? 0)) {
        ownWrites.note(chainId, blockNumber)
        throw new ServiceFaultError('The service prepared a remit for a day that has ended.')
      }
      assertIsCall(prepared)
      return toForecast(prepared)
    },
    // What the keeper calls an offer, the service calls a rescue.
    async offers(after) {
      const asked = { first: MOST_OFFERS, after }
      const { rescues, nextCursor } = await client.listRescues(asked, { signal }).catch(rethrow)
      const permits = rescues.slice(0, MOST_OFFERS).map((rescue) => toPermit(rescue, chainId))
      return { permits, next: nextCursor ?? undefined }
    },
  }

  function assertIsCall(prepared: PrepareRemitAnswer): void {
    const { to, data } = call
    try {
      assertAsShown(prepared, {
        chainId,
        unsignedTransactions: [{ to, data, value: 0n, chainId, from: account }],
      })
    } catch (error) {
      rethrow(error)
    }
  }
}

function toForecast({ simulation, preflight }: PrepareRemitAnswer): PreparedRemit {
  const changes = simulation?.balanceChanges ?? []
  return {
    changes: changes.map(({ account, token, amountRaw }) => ({ account, token: token.address, amountRaw })),
    expectedTransactions: preflight?.expectedTransactions ?? 1,
  }
}

/** `allowed` stands in place of `value` in a permit of DAI's own form. */
function toPermit(
  { owner, token, value, allowed, deadline, signature }: ListRescuesAnswer['rescues'][number],
  chainId: number,
): SignedPermit {
  const stated = allowed === null ? { value: value.toString() } : { allowed }
  return { chainId, owner, token, ...stated, deadline, signature }
}

/** Throws an error in the keeper's terms: a fault that passes, a lack of work, or what ends the keeper. */
function rethrow(error: unknown): never {
  if (error instanceof NotReadyError || error instanceof SimulationFailedError) {
    const code = error.issues[0]?.code ?? error.code
    throw new NoRemitError(error.message, code, { cause: error })
  }
  if (error instanceof RateLimitedError) {
    throw new ServiceBusyError(error.message, error.retryAfterSeconds ?? USUAL_WAIT_SECONDS, { cause: error })
  }
  if (error instanceof RemitError && error.status >= 500) {
    if (error.retryAfterSeconds !== undefined) {
      throw new ServiceBusyError(error.message, error.retryAfterSeconds, { cause: error })
    }
    throw new ServiceFaultError(error.message, { cause: error })
  }
  if (
    error instanceof NetworkError ||
    error instanceof TimeoutError ||
    error instanceof UnexpectedAnswerError
  ) {
    throw new ServiceFaultError(error.message, { cause: error })
  }
  if (error instanceof UnsafeTransactionError) {
    throw new CliError(
      `The service prepared something else than one remit() of the protocol’s contract: ${error.problem}. Nothing was signed; do not use this service.`,
      EXIT.refused,
      { cause: error },
    )
  }
  throw toFault(error)
}
