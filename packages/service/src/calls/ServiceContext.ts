import type { CallContext } from '@remit/engine/declare/contexts'
import type { CallerSession, UsagePort } from '../ports/access.ts'
import type { KeysPort } from '../ports/keys.ts'
import type { ServicePort } from '../ports/service.ts'
import type { OpenedSession, SessionsPort } from '../ports/sessions.ts'
import type { WebhooksPort } from '../ports/webhooks.ts'

/** What the service keeps for its caller. A getter throws UnauthorizedError where the caller has no right to it. */
export interface ServiceContext extends CallContext {
  readonly service: ServicePort
  /** Everybody's for an operator, and only its own for a session. */
  readonly keys: KeysPort
  readonly usage: UsagePort
  readonly webhooks: WebhooksPort
  /** Whose key or session the caller has. Nothing of another owner's is read or changed. */
  readonly owner: string
  readonly sessions: SessionsPort
  /** The session that the request came with. */
  readonly current: CallerSession | undefined
  /** Takes a unit of the bucket `expensive`, then runs what asks a node. Throws RateLimitedError. */
  chargeExpensive<T>(ask: () => Promise<T>): Promise<T>
  /** Has the browser keep this session, or forget the one that it has. */
  setSession(session: OpenedSession | null): void
  /** Runs what makes a webhook, and counts it for a session's address. Throws RateLimitedError where that has used up its day. */
  countNewWebhook<Made>(create: () => Promise<Made>): Promise<Made>
  /** Counts a challenge that is about to be sent. Throws RateLimitedError where the day has none left. */
  takeChallenge(): Promise<void>
}
