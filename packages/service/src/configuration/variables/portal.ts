import { Address } from '@remit/engine/schema/hex'
import { variablesOf } from '../defineVariable.ts'
import { integer, list, oneOf, onOff, secretKeys } from '../values.ts'

const callerVariable = variablesOf('Callers and keys')

/** What seals secrets before they are stored. */
export const SECRETS_KEY = callerVariable({
  name: 'SECRETS_KEY',
  description:
    'The key that seals secrets in the store: `openssl rand -base64 32` makes one. [How to replace it](run.md#replace-secrets_key). `npm start` makes one for each run.',
  schema: secretKeys,
  secret: 'all',
})

/** What people with a wallet may do here. */
export const PORTAL = {
  portal: callerVariable({
    name: 'PORTAL',
    description:
      'Who may make API keys at `/portal`, by signing in with a wallet: nobody, everybody, or `PORTAL_WALLETS`. With `npm start`: `open`.',
    schema: oneOf(['off', 'open', 'allowlist']),
    default: 'off',
  }),
  portalWallets: callerVariable({
    name: 'PORTAL_WALLETS',
    description: 'The wallets that may make API keys where `PORTAL` is `allowlist`.',
    schema: list(Address, 'addresses'),
  }),
  passes: callerVariable({
    name: 'PASSES',
    description:
      'Whether subscribers can have passes, signed proofs of what is paid for. It needs `SECRETS_KEY`. With `npm start`: `on`.',
    schema: onOff,
    default: 'off',
  }),
  rescues: callerVariable({
    name: 'RESCUES',
    description:
      'Whether members can leave a signed permit here for their provider to carry. It needs `SECRETS_KEY`. With `npm start`: `on`.',
    schema: onOff,
    default: 'off',
  }),
  passGraceDays: callerVariable({
    name: 'PASS_GRACE_DAYS',
    description:
      'How many days after the last paid day a pass may hold. With 0, members have no pass on a due day until remit has charged them.',
    schema: integer(0, 366),
    default: '0',
  }),
}
