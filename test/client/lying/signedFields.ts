import { Subscriptions } from '@remit/contracts/Subscriptions'
import { type Abi, decodeFunctionData, erc20Abi, getAbiItem, type Hex, parseTransaction } from 'viem'
import * as z from 'zod'
import type { TestWalletRequest } from '../../support/wallets/walletProvider.ts'

/** Where a field of something signed comes from, and why that is safe. */
export interface SignedField {
  readonly field: string
  readonly flows: readonly string[]
  readonly from: 'the caller' | 'the wallet' | 'the wallet’s node' | 'the client'
  readonly why: string
}

const ALL = ['create', 'subscribe', 'leave', 'remove', 'cancel', 'edit', 'edit profile', 'revoke', 'remit']
const ABOUT_ONE = ['subscribe', 'leave', 'remove', 'cancel']
const APPROVING = ['subscribe', 'revoke']
const PROFILE = ['description', 'company', 'url', 'domain', 'email', 'misc']

function row(field: string, flows: readonly string[], from: SignedField['from'], why: string): SignedField {
  return { field, flows, from, why }
}

/** Every field that any flow has a wallet sign. Nothing comes from the service. */
export const SIGNED_FIELDS: readonly SignedField[] = [
  row(
    'chain',
    ALL,
    'the caller',
    '`chainId` of the call, else of the client, else the chain that the wallet is on; decided before anything is prepared, and the wallet is asked for it again before each signature',
  ),
  row('account', ALL, 'the wallet', 'the account of the wallet client, else the first that the wallet gives'),
  row('value', ALL, 'the client', 'always 0: nothing here costs ether'),
  row(
    'calls, their number and order',
    ALL,
    'the client',
    'what was asked for, alone; before a subscribe one approval where the allowance does not last, with a reset to 0 in front where the token, tried on the wallet’s node, takes it no other way',
  ),
  row(
    'contract',
    ALL,
    'the caller',
    'pinned by `contracts` or built in; from the service only with `trustServiceForContracts`. It is the spender of every approval and where every other call goes',
  ),
  row('function', ALL, 'the client', 'made from the contract’s ABI, which is in the package'),
  row(
    'token that approves',
    APPROVING,
    'the wallet’s node',
    'the contract’s record of the subscription; for a revoke the caller names it',
  ),
  row(
    'approved amount',
    APPROVING,
    'the client',
    '0 for a revoke. Else the first charge and the periods asked for, beside what the wallet’s other subscriptions in the token take until then, worked out from what the wallet’s node says of the contract; `maxApproval` bounds it',
  ),
  row('subscription.id', ABOUT_ONE, 'the caller', 'the `id` of the call'),
  ...['amount', 'provider', 'token', 'cancelled', 'frequency', 'dueDay'].map((name) =>
    row(
      `subscription.${name}`,
      ABOUT_ONE,
      'the wallet’s node',
      name === 'cancelled'
        ? 'the contract’s record'
        : 'the contract’s record, which `terms` of the caller are held against',
    ),
  ),
  row('subscriber', ['remove'], 'the caller', 'the `subscriber` of the call'),
  row(
    'amount',
    ['create'],
    'the caller',
    'in the contract’s 18 decimals, exactly; more digits than the contract’s entry for the token has are refused',
  ),
  row('token', ['create'], 'the caller', 'has to be approved by the contract, as the wallet’s node says'),
  row('frequency', ['create'], 'the caller', 'as it was given'),
  row('dueDay', ['create'], 'the caller', 'as it was given'),
  row('details.url', ['create', 'edit'], 'the caller', 'letter for letter'),
  row('details.description', ['create', 'edit'], 'the caller', 'letter for letter'),
  row('id', ['edit'], 'the caller', 'the `id` of the call'),
  ...PROFILE.map((name) => row(`details.${name}`, ['edit profile'], 'the caller', 'letter for letter')),
  row(
    'gas limit',
    ALL,
    'the wallet’s node',
    'its estimate with a fifth on top; calls that are given to the wallet together have none, and the wallet sets it',
  ),
  row('fees', ALL, 'the wallet’s node', 'or the wallet’s own, where it is not a key of the program'),
  row('nonce', ALL, 'the wallet’s node', 'or the wallet’s own, where it is not a key of the program'),
  row(
    'kind of transaction',
    ALL,
    'the client',
    'viem’s, by what the wallet’s node can do; no list of authorizations',
  ),
  row(
    'version and atomicity',
    ALL,
    'the client',
    '`2.0.0`, and not required, where calls go together or with a paymaster',
  ),
  row(
    'paymaster',
    ALL,
    'the caller',
    '`paymasterUrl` of the call, where there is one; optional, so that a wallet may do without. The wallet asks it for the fee alone',
  ),
]

/** The table of docs/client.md. */
export function signedFieldsTable(): string {
  const cells = SIGNED_FIELDS.map(({ field, flows, from, why }) => [
    field,
    flows.length === ALL.length ? 'all' : flows.join(', '),
    from,
    why,
  ])
  const rows = [['field', 'flows', 'comes from', 'why that is safe'], ...cells]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((cell) => cell[column]?.length ?? 0)))
  const line = (cell: readonly string[]) =>
    `| ${cell.map((text, column) => text.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const [head = [], ...rest] = rows
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rest.map(line)].join('\n')
}

const Call = z.object({ to: z.string(), data: z.string() })
const Sent = z.looseObject({ ...Call.shape })
const Together = z.looseObject({ calls: z.array(z.looseObject({ ...Call.shape })) })

/** What of a request is which field. What is not named here stands for itself, and is missed in the table. */
const OF_REQUESTS: Readonly<Record<string, string>> = {
  chainId: 'chain',
  from: 'account',
  value: 'value',
  gas: 'gas limit',
  nonce: 'nonce',
  maxFeePerGas: 'fees',
  maxPriorityFeePerGas: 'fees',
  type: 'kind of transaction',
  version: 'version and atomicity',
  atomicRequired: 'version and atomicity',
  calls: 'calls, their number and order',
  capabilities: 'paymaster',
}
/** Parts of a signature, which say nothing of their own. */
const OF_SIGNATURES = ['r', 's', 'v', 'yParity']

/** The fields of what a wallet was asked to sign, each by its name in the table. */
export function fieldsOf({ method, params }: TestWalletRequest): string[] {
  const [first] = params ?? []
  if (method === 'wallet_sendCalls') {
    const { calls, ...rest } = Together.parse(first)
    return [...namesOf({ ...rest, calls }), ...calls.flatMap((call) => fieldsOfSent(call))]
  }
  if (method === 'eth_sendTransaction')
    return ['calls, their number and order', ...fieldsOfSent(Sent.parse(first))]
  const parsed = parseTransaction(z.templateLiteral(['0x', z.string()]).parse(first))
  return fieldsOfSent(Sent.parse(parsed))
}

function fieldsOfSent({ to: _, data, ...rest }: z.output<typeof Sent>): string[] {
  return [...namesOf(rest), ...fieldsOfCall(`0x${data.slice(2)}`)]
}

function namesOf(fields: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(fields)
    .filter(([name, value]) => value !== undefined && !OF_SIGNATURES.includes(name))
    .map(([name]) => OF_REQUESTS[name] ?? name)
}

function fieldsOfCall(data: Hex): string[] {
  const approval = decode(erc20Abi, data)
  if (approval === 'approve') return ['function', 'token that approves', 'contract', 'approved amount']
  const abi: Abi = Subscriptions.abi
  const item = getAbiItem({ abi, name: decode(abi, data) ?? '' })
  const inputs = item?.type === 'function' ? item.inputs : []
  const leaves = inputs.flatMap((input) => {
    const { name = '' } = input
    return 'components' in input && input.components.length > 0
      ? input.components.map((inner) => `${name}.${inner.name}`)
      : [name]
  })
  return ['function', 'contract', ...leaves]
}

function decode(abi: Abi, data: Hex): string | undefined {
  try {
    return decodeFunctionData({ abi, data }).functionName
  } catch {
    return undefined
  }
}
