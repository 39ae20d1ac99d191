import { variablesOf } from '../defineVariable.ts'
import { boolean, integer } from '../values.ts'

const webhookVariable = variablesOf('Webhooks')

/** Whether and how events are delivered to webhooks. */
export const WEBHOOKS = {
  webhooks: webhookVariable({
    name: 'WEBHOOKS',
    description:
      'Whether developers can have events sent to their servers. It needs `SECRETS_KEY`. `npm start` sets it.',
    schema: boolean,
    default: 'false',
  }),
  deliverer: webhookVariable({
    name: 'DELIVERER',
    description:
      'Whether this process delivers to webhooks. With `false`, `npm run deliver` does it; several processes share the work.',
    schema: boolean,
    default: 'true',
  }),
  webhooksAllowLoopback: webhookVariable({
    name: 'WEBHOOKS_ALLOW_LOOPBACK',
    description:
      'Whether webhooks may lead to this machine, over http too. For development only: callers can then reach whatever listens here.',
    schema: boolean,
    default: 'false',
  }),
  maxWebhooksPerSubject: webhookVariable({
    name: 'MAX_WEBHOOKS_PER_SUBJECT',
    description: 'How many webhooks one subject may have.',
    schema: integer(1, 1_000_000),
    default: '20',
  }),
}
