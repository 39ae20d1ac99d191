import type { Address } from 'viem'
import type { Client } from '../../../createClient.ts'
import { RateLimitedError } from '../../../errors/access.ts'
import { NotReadyError, SimulationFailedError } from '../../../errors/prepare.ts'
import { RemitError } from '../../../errors/RemitError.ts'
import { NetworkError, TimeoutError, UnexpectedAnswerError } from '../../../errors/transport.ts'
import type { PrepareRemitAnswer } from '../../../generated/api.ts'
import { NoRemitError, ServiceBusyError, ServiceFaultError } from '../ports/faults.ts'
import type { KeeperService, PreparedRemit } from '../ports/ports.ts'

/** Where nobody says how long to wait for a limit. */
const USUAL_WAIT_SECONDS = 60

/**
 * The service as a keeper needs it.
 * @param client without retries: the keeper counts and paces every request itself
 * @param signal ends what is being asked
 */
export function serviceOf(client: Client, signal: AbortSignal): KeeperService {
  return {
    async state(minBlock) {
      const input = minBlock === undefined ? {} : { minBlock }
      const answer = await client.getProtocolState(input, { signal }).catch(rethrow)
      const { chainId, contractAddress, asOf, nextUncheckedDay, currentDay } = answer
      return { chainId, contractAddress, headTimestamp: asOf.timestamp, nextUncheckedDay, currentDay }
    },
    async prepareRemit(from: Address) {
      return toPrepared(await client.prepareRemit({ from }, { signal }).catch(rethrow))
    },
  }
}

function toPrepared({
  chainId,
  unsignedTransactions,
  simulation,
  preflight,
}: PrepareRemitAnswer): PreparedRemit {
  if (!unsignedTransactions)
    throw new ServiceFaultError('The service prepared a remit and left out its transaction.')
  return {
    chainId,
    transactions: unsignedTransactions,
    changes: (simulation?.balanceChanges ?? []).map(({ account, token, amountRaw }) => ({
      account,
      token: token.address,
      amountRaw,
    })),
    expectedTransactions: preflight?.expectedTransactions ?? 1,
  }
}

/** Tells what passes from what does not. What is neither is thrown on, and ends the keeper. */
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
  throw error
}
