import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { webhookErrors } from './webhook.ts'

/** Needs a key as all of `/developer/webhooks` does; the public key itself is no secret. */
export const getWebhookKey = defineOperation({
  name: 'get_webhook_key',
  effect: 'read',
  scope: 'webhooks',
  summary: 'The public key that verifies the signatures v1a of webhooks',
  rest: { method: 'GET', path: '/developer/webhooks/key' },
  tool: false,
  errors: webhookErrors,
  input: z.object({}),
  output: z.object({
    algorithm: z.literal('ed25519'),
    publicKey: z.string().describe('whpk_ and the 32 bytes of the key in Base64.'),
  }),
  handle: async ({ webhooks }) => ({ algorithm: 'ed25519' as const, publicKey: await webhooks.publicKey() }),
})
