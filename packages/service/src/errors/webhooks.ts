import { errorOf } from '@remit/engine/errors/base'
import { byRoute } from '@remit/engine/presentation/byRoute'

export class WebhooksDisabledError extends errorOf(
  403,
  'WEBHOOKS_DISABLED',
  'the operator has switched webhooks off',
) {
  constructor() {
    super('Webhooks are switched off by the operator of this service.')
  }
}

export class WebhookNotFoundError extends errorOf(404, 'NOT_FOUND', 'the caller has no such webhook') {
  constructor(id: string) {
    super(`You have no webhook ${id}; list_webhooks${byRoute('GET /developer/webhooks')} lists yours.`)
  }
}

export class DeliveryNotFoundError extends errorOf(
  404,
  'NOT_FOUND',
  'the webhook has no delivery of this event',
) {
  constructor(eventId: string) {
    super(`This webhook has no delivery of the event ${eventId}; its deliveries are kept for 30 days.`)
  }
}

export class MaxWebhooksError extends errorOf(
  409,
  'MAX_WEBHOOKS',
  'the subject has as many webhooks as it may',
) {
  constructor(maxWebhooks: number) {
    super(`You already have ${maxWebhooks} webhooks, the maximum. Delete one before making another.`, {
      facts: { maxWebhooks },
    })
  }
}

/** The URL has not shown that its owner wants to hear events. */
export class UnprovenUrlError extends errorOf(
  422,
  'WEBHOOK_UNPROVEN',
  'the URL has not answered the challenge with its text',
) {
  /** @param facts what came of the request */
  constructor(facts: { status: number | null; failure: string | null }) {
    const { status, failure } = facts
    const came = status === null ? `no answer came (${failure})` : `it answered ${status} and another text`
    super(
      `The URL must answer the challenge with status 200 and exactly the text of its field challenge: ${came}.`,
      { facts },
    )
  }
}
