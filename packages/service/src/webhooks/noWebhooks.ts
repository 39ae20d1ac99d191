import { WebhooksDisabledError } from '../errors/webhooks.ts'
import type { WebhooksPort } from '../ports/webhooks.ts'

const refuse = () => Promise.reject(new WebhooksDisabledError())

/** The port of a service whose operator has switched webhooks off. */
export const noWebhooks: WebhooksPort = {
  create: refuse,
  list: refuse,
  get: refuse,
  change: refuse,
  pause: refuse,
  resume: refuse,
  delete: refuse,
  rotateSecret: refuse,
  test: refuse,
  deliveries: refuse,
  redeliver: refuse,
  redeliverSince: refuse,
  publicKey: refuse,
}
