import type { Client } from '../../../createClient.ts'
import { RateLimitedError } from '../../../errors/access.ts'
import { NotReadyError, SimulationFailedError } from '../../../errors/prepare.ts'
import { RemitError } from '../../../errors/RemitError.ts'
import { NetworkError, TimeoutError, UnexpectedAnswerError } from '../../../errors/transport.ts'
import type { PrepareRemitAnswer } from '../../../generated/api.ts'
import type { OwnWrites } from '../../../request/OwnWrites.ts'
import { prepareChecked, type Signing } from '../../../sending/check/prepareChecked.ts'
import { PreparedExpiredError, UnsafeTransactionError } from '../../../sending/errors.ts'
import { defineRemit } from '../../../sending/flows/remit.ts'
import { CliError } from '../../invocation/CliError.ts'
import { EXIT } from '../../invocation/exitCodes.ts'
import { NoRemitError, ServiceBusyError, ServiceFaultError } from '../ports/faults.ts'
import type { KeeperClock, KeeperService, PreparedRemit } from '../ports/ports.ts'
import { toFault } from '../sendRemit.ts'

/** Where nobody says how long to wait for a limit. */
const USUAL_WAIT_SECONDS = 60

/**
 * The service as a keeper needs it. What it prepares is checked as for every wallet.
 * @param client without retries: the keeper counts and paces every request itself
 */
export function serviceOf(
  client: Client,
  { ownWrites, clock, ...signing }: Signing & { ownWrites: OwnWrites; clock: Pick<KeeperClock, 'now'> },
): KeeperService {
  const { signal } = signing.options
  const remit = defineRemit(client, { chainId: signing.chainId })
  return {
    async state() {
      const answer = await client.getProtocolState({}, { signal }).catch(rethrow)
      const { chainId, contractAddress, asOf, nextUncheckedDay, currentDay } = answer
      return { chainId, contractAddress, headTimestamp: asOf.timestamp, nextUncheckedDay, currentDay }
    },
    async prepareRemit(onRequest) {
      const definition: typeof remit = {
        ...remit,
        prepare(from, options) {
          onRequest()
          return remit.prepare(from, options)
        },
      }
      const { prepared } = await prepareChecked({ ownWrites, now: clock.now }, definition, signing).catch(
        rethrow,
      )
      return toForecast(prepared)
    },
  }
}

function toForecast({ simulation, preflight }: PrepareRemitAnswer): PreparedRemit {
  const changes = simulation?.balanceChanges ?? []
  return {
    changes: changes.map(({ account, token, amountRaw }) => ({ account, token: token.address, amountRaw })),
    expectedTransactions: preflight?.expectedTransactions ?? 1,
  }
}

/** Turns an error into a fault that passes or a lack of work. Any other error is rethrown and ends the keeper. */
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
  // Just after midnight the service can be a block behind the keeper's own node.
  if (error instanceof UnsafeTransactionError && error.cause instanceof PreparedExpiredError) {
    throw new ServiceFaultError('The service prepared a remit for a day that has ended.', { cause: error })
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
