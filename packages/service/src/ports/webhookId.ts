import * as z from 'zod'

export const WebhookId = z
  .string()
  .regex(/^wh_[0-9a-f]{32}$/, 'must be the id of a webhook')
  .describe('Id of the webhook.')
