import { Address } from '../../schema/address.ts'
import { defineVariable } from '../defineVariable.ts'
import { integer, list, oneOf, onOff, secretKeys } from '../values.ts'

/** What seals secrets before they are stored. */
export const SECRETS_KEY = defineVariable({
  name: 'SECRETS_KEY',
  group: 'Callers and keys',
  description:
    'The key that seals secrets in the store: `openssl rand -base64 32` makes one. [How to replace it](run.md#replace-secrets_key). `npm start` makes one for each run.',
  schema: secretKeys,
  secret: 'all',
})

/** What people with a wallet may do here. */
export const PORTAL = {
  portal: defineVariable({
    name: 'PORTAL',
    group: 'Callers and keys',
    description:
      'Who may make API keys at `/portal`, by signing in with a wallet: nobody, everybody, or `PORTAL_WALLETS`. With `npm start`: `open`.',
    schema: oneOf(['off', 'open', 'allowlist']),
    default: 'off',
  }),
  portalWallets: defineVariable({
    name: 'PORTAL_WALLETS',
    group: 'Callers and keys',
    description: 'The wallets that may make API keys where `PORTAL` is `allowlist`.',
    schema: list(Address, 'addresses'),
  }),
  passes: defineVariable({
    name: 'PASSES',
    group: 'Callers and keys',
    description:
      'Whether subscribers can have passes, signed proofs of what is paid for. It needs `SECRETS_KEY`. With `npm start`: `on`.',
    schema: onOff,
    default: 'off',
  }),
  passGraceDays: defineVariable({
    name: 'PASS_GRACE_DAYS',
    group: 'Callers and keys',
    description:
      'How many days after the last paid day a pass may hold. With 0, members have no pass on a due day until remit has charged them.',
    schema: integer(0, 366),
    default: '0',
  }),
}
