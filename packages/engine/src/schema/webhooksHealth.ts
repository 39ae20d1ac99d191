import * as z from 'zod'

/** The health of webhooks, from memory, without naming any. */
export const WebhooksHealth = z.object({
  active: z.int().min(0).describe('Webhooks that are not paused.'),
  failing: z.int().min(0).describe('Those of them that did not take the last request.'),
  paused: z.int().min(0),
  deliverers: z.int().min(0).describe('Processes that deliver.'),
  waiting: z
    .int()
    .min(0)
    .describe('Deliveries that are not done, those of paused webhooks too; counted up to 100,000.'),
  behindSeconds: z
    .int()
    .min(0)
    .describe(
      'How long events have waited that could be sent: nobody handed them out, or no process had time.',
    ),
  alarm: z.string().nullable().describe('What is wrong, for the operator; null where nothing is.'),
})

export type WebhooksHealth = Readonly<z.output<typeof WebhooksHealth>>
