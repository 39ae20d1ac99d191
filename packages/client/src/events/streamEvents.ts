import { NeedsServiceError } from '../errors/RemitError.ts'
import type { RequestOptions, Surroundings } from '../request/createCaller.ts'
import type { RemitEvent } from './decodeEvent.ts'
import type { StreamRequest } from './followStream.ts'

export interface StreamOptions {
  /** Ends the iteration. Its reason is thrown. */
  readonly signal?: AbortSignal | undefined
}

/** Live events of a service. */
export interface Events {
  /**
   * Every event as it comes. A broken connection is made again and continues where it was: each event comes exactly once.
   *
   * It ends by `break`, by the signal, or by an error that trying again does not fix, such as a key that was revoked.
   *
   * @example
   * for await (const event of client.events.stream({ provider: account, type: 'payment.at_risk' })) {
   *   if (event.type === 'payment.at_risk') console.log(event.subject.account, event.data.missingBalance)
   * }
   */
  stream(request?: StreamRequest, options?: StreamOptions): AsyncIterable<RemitEvent>
}

/** The events of a service, whose stream is opened when somebody asks for the first. */
export function createEvents(options: RequestOptions, surroundings: Surroundings): Events {
  return {
    async *stream(request = {}, { signal } = {}) {
      // Most clients hear no events.
      const { followStream } = await import('./followStream.ts')
      yield* followStream(options, surroundings, request, signal)
    },
  }
}

/** The events of a client that has no service. */
export const withoutEvents: Events = {
  stream() {
    throw new NeedsServiceError('events.stream')
  },
}
