/** How an option of the command line becomes one field of a prepare's input. */
export interface Field {
  /** Without its dashes. */
  readonly flag: string
  /** Where it goes in the body. */
  readonly path: readonly [string, ...string[]]
  readonly kind: 'text' | 'whole' | 'switch'
  readonly value?: string
  readonly help: string
}

const text = (flag: string, path: Field['path'], value: string, help: string): Field => ({
  flag,
  path,
  kind: 'text',
  value,
  help,
})

const whole = (flag: string, path: Field['path'], help: string): Field => ({
  flag,
  path,
  kind: 'whole',
  value: '<n>',
  help,
})

/**
 * Every field that any prepare takes. `--url` is the service's address, so the urls of details and profiles have
 * other names.
 */
export const PREPARE_FIELDS: readonly Field[] = [
  text('from', ['from'], '<address>', 'who will sign and send'),
  text('id', ['id'], '<id>', 'the subscription'),
  text('subscriber', ['subscriber'], '<address>', 'the subscriber to remove'),
  text('amount', ['amount'], '<amount>', 'human token amount, such as 10.5'),
  text('token', ['token'], '<address>', 'the token'),
  whole('frequency', ['frequency'], '0 weekly, 1 monthly, 2 quarterly, 3 yearly'),
  whole('due-day', ['dueDay'], 'day of the week (Monday is 1), month, quarter or year'),
  text('details-url', ['details', 'url'], '<url>', 'https link of the subscription, or ""'),
  text('details-description', ['details', 'description'], '<text>', 'description of the subscription'),
  text('description', ['description'], '<text>', 'description of the provider'),
  text('company', ['company'], '<text>', 'company of the provider'),
  text('profile-url', ['url'], '<url>', 'https link of the provider, or ""'),
  text('domain', ['domain'], '<text>', 'domain of the provider'),
  text('email', ['email'], '<text>', 'email of the provider'),
  text('misc', ['misc'], '<text>', 'anything else about the provider'),
  text('subscription-id', ['subscription', 'id'], '<id>', 'for stated terms: these must match the chain’s'),
  text('subscription-amount', ['subscription', 'amount'], '<amount>', ''),
  text('subscription-provider', ['subscription', 'provider'], '<address>', ''),
  text('subscription-token', ['subscription', 'token'], '<address>', ''),
  whole('subscription-frequency', ['subscription', 'frequency'], ''),
  whole('subscription-due-day', ['subscription', 'dueDay'], ''),
  {
    flag: 'subscription-cancelled',
    path: ['subscription', 'cancelled'],
    kind: 'switch',
    help: '',
  },
  text(
    'simulate-from',
    ['simulateFromAddress'],
    '<address>',
    'estimate gas from this wallet, which will broadcast',
  ),
  text('paymaster-url', ['paymasterUrl'], '<url>', 'whom the wallet may ask to pay the network’s fee'),
  whole('approval-periods', ['approvalPeriods'], 'how many charges the approval must cover'),
  { flag: 'infinite-approval', path: ['infiniteApproval'], kind: 'switch', help: 'approve the maximum' },
  {
    flag: 'keep-coverage',
    path: ['keepCoverage'],
    kind: 'switch',
    help: 'also approve enough to keep the wallet’s other subscriptions covered as long as now',
  },
  {
    flag: 'permit',
    path: ['permit'],
    kind: 'switch',
    help: 'a permit to sign in place of an approval to send',
  },
  whole('permit-deadline', ['permitDeadline'], 'until when that permit can be carried, unix time in seconds'),
  {
    flag: 'authorization',
    path: ['authorization'],
    kind: 'switch',
    help: 'a transfer to sign in place of one to send',
  },
  whole('valid-before', ['validBefore'], 'until when that transfer can be carried, unix time in seconds'),
  text('owner', ['owner'], '<address>', 'whose signed permit it is'),
  text('account', ['account'], '<address>', 'the member who is given money'),
  text('payer', ['payer'], '<address>', 'whose signed transfer it is'),
  text('value', ['value'], '<raw>', 'what is allowed or given, in the token’s smallest unit'),
  { flag: 'allowed', path: ['allowed'], kind: 'switch', help: 'for a permit of DAI’s own form' },
  whole('deadline', ['deadline'], 'as it was signed, unix time in seconds'),
  text('signature', ['signature'], '<hex>', 'the signature of the owner or the payer'),
  {
    flag: 'readiness',
    path: ['readinessOnly'],
    kind: 'switch',
    help: 'only check whether it can be done: no transactions, no gas',
  },
]
