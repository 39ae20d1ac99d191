/**
 * What a revert means: the contract's own reasons are the strings "0" to "25", named here; beside them Solidity's panics and
 * OpenZeppelin's errors. Asked wherever a simulation or a transaction fails.
 */

import { decodeAbiParameters, decodeErrorResult, type Hex, parseAbi, size, slice } from 'viem'
import { cleanText } from './text.ts'

/** One of the contract's revert strings, named and explained. */
interface ProtocolRevert {
  readonly protocolCode: string
  readonly name: string
  /** A sentence that says what to do. */
  readonly message: string
}

/** For codes that no call of the contract reverts with. */
const UNUSED = 'The contract defines this code but does not use it.'

// The index is the code (docs/protocol.md).
const PROTOCOL_REVERTS: readonly (readonly [name: string, message: string])[] = [
  [
    'OWN_SUBSCRIPTION',
    'A provider cannot subscribe to its own subscription: subscribe from another account.',
  ],
  ['TOKEN_ALREADY_APPROVED', 'This token is approved already; its entry cannot be added a second time.'],
  ['ZERO_ADDRESS', UNUSED],
  [
    'SUBSCRIPTION_NOT_FOUND',
    'No subscription has this id, or the account has unsubscribed from it already: check the id and the chain.',
  ],
  ['ZERO_TOKEN', 'The token is the zero address: give the address of an approved ERC-20 token.'],
  ['TOKEN_NOT_APPROVED', 'The protocol has not approved this token: choose one of the approved tokens.'],
  ['REMIT_NOT_DUE', 'Nothing is due up to today: call remit again after the next due day.'],
  ['ADMIN_ONLY', UNUSED],
  ['NOT_PROVIDER', 'Only the provider of this subscription can remove its subscribers.'],
  ['NOT_SUBSCRIBED', 'This account is not subscribed, or it has unsubscribed already.'],
  [
    'INSUFFICIENT_ALLOWANCE_OR_BALANCE',
    'The allowance for the contract or the balance is below one full period: approve or top up the token first.',
  ],
  ['UNUSED_11', UNUSED],
  ['UNUSED_12', UNUSED],
  ['NOT_PROVIDER', 'Only the provider of this subscription can cancel it.'],
  ['WEEKLY_DUE_DAY_OUT_OF_RANGE', 'The due day of a weekly subscription must be 1 (Monday) to 7 (Sunday).'],
  ['MONTHLY_DUE_DAY_OUT_OF_RANGE', 'The due day of a monthly subscription must be 1 to 28.'],
  ['QUARTERLY_DUE_DAY_OUT_OF_RANGE', 'The due day of a quarterly subscription must be 1 to 90.'],
  ['YEARLY_DUE_DAY_OUT_OF_RANGE', 'The due day of a yearly subscription must be 1 to 365.'],
  ['AMOUNT_BELOW_MINIMUM', 'The amount is below the minimum that the protocol sets for this token.'],
  ['REENTRANCY', 'remit was called again while it was running, most likely by a token in the middle of it.'],
  ['TOKEN_PAUSED', 'The protocol has paused this token: wait until it is resumed, or choose another.'],
  ['UNUSED_21', UNUSED],
  ['NO_SUBSCRIBERS', 'There are no subscribers left to clean up.'],
  ['SUBSCRIPTION_CANCELLED', 'The provider has cancelled this subscription; that cannot be undone.'],
  [
    'SUBSCRIPTION_PAGING',
    'A remit has stopped in the middle of this subscription: subscribe after the next remit has finished the day.',
  ],
  ['ALREADY_SUBSCRIBED', 'This account is subscribed already.'],
]

/** The revert strings "0" to "25" in order. */
export const REVERTS: readonly ProtocolRevert[] = PROTOCOL_REVERTS.map(([name, message], code) => ({
  protocolCode: String(code),
  name,
  message,
}))

/** The protocol's meaning of a revert string, or `undefined` where it is not the protocol's. */
export function findProtocolRevert(text: string): ProtocolRevert | undefined {
  return REVERTS.find(({ protocolCode }) => protocolCode === text)
}

/** A revert's data, read as far as it can be. Every variant has a name and a sentence. */
type DecodedRevert = { readonly name: string; readonly message: string } & (
  | { readonly kind: 'protocol'; readonly protocolCode: string }
  /** A reason string that is not the protocol's, such as a token's, cleaned. */
  | { readonly kind: 'error'; readonly text: string }
  | { readonly kind: 'panic'; readonly panicCode: bigint }
  | { readonly kind: 'custom'; readonly args: Readonly<Record<string, string>> }
  | { readonly kind: 'empty' }
  | { readonly kind: 'unknown'; readonly data: Hex }
)

const PANICS: ReadonlyMap<bigint, readonly [name: string, message: string]> = new Map([
  [0x00n, ['PANIC_GENERIC', 'A check of the compiler failed.']],
  [0x01n, ['PANIC_ASSERTION', 'An assertion failed.']],
  [0x11n, ['PANIC_ARITHMETIC', 'An arithmetic result was negative or did not fit in its type.']],
  [0x12n, ['PANIC_DIVISION_BY_ZERO', 'A number was divided by zero.']],
  [0x21n, ['PANIC_ENUM', 'A number was outside its enum.']],
  [0x22n, ['PANIC_STORAGE_ENCODING', 'A byte array in storage was wrongly encoded.']],
  [0x31n, ['PANIC_EMPTY_POP', 'An element was taken from an empty array.']],
  [0x32n, ['PANIC_INDEX', 'An array was read or written outside its bounds.']],
  [0x41n, ['PANIC_MEMORY', 'Too much memory was asked for.']],
  [0x51n, ['PANIC_FUNCTION_POINTER', 'An uninitialised function was called.']],
])

// OpenZeppelin 5's, which the implementation inherits and tokens use, so they are not in the interface's ABI.
const CUSTOM_ERRORS = parseAbi([
  'error AccessControlUnauthorizedAccount(address account, bytes32 neededRole)',
  'error AccessControlBadConfirmation()',
  'error AccessControlInvalidDefaultAdmin(address defaultAdmin)',
  'error AccessControlEnforcedDefaultAdminRules()',
  'error AccessControlEnforcedDefaultAdminDelay(uint48 schedule)',
  'error SafeCastOverflowedUintDowncast(uint8 bits, uint256 value)',
  'error SafeERC20FailedOperation(address token)',
  'error SafeERC20FailedDecreaseAllowance(address spender, uint256 currentAllowance, uint256 requestedDecrease)',
  'error AddressEmptyCode(address target)',
  'error AddressInsufficientBalance(address account)',
  'error FailedInnerCall()',
  'error FailedCall()',
  'error InsufficientBalance(uint256 balance, uint256 needed)',
  'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'error ERC20InvalidSender(address sender)',
  'error ERC20InvalidReceiver(address receiver)',
  'error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)',
  'error ERC20InvalidApprover(address approver)',
  'error ERC20InvalidSpender(address spender)',
  'error EnforcedPause()',
  'error ExpectedPause()',
  'error OwnableUnauthorizedAccount(address account)',
  'error ReentrancyGuardReentrantCall()',
])

/** The longest reason string that is passed on. */
const MOST_TEXT = 300

// Solidity's Error(string) and Panic(uint256).
const ERROR_SELECTOR = '0x08c379a0'
const PANIC_SELECTOR = '0x4e487b71'

/** Reads a revert's data. Never throws; texts from the chain come cleaned, and cut after MOST_TEXT characters. */
export function decodeRevert(data: Hex): DecodedRevert {
  if (data === '0x') {
    return { kind: 'empty', name: 'EMPTY_REVERT', message: 'The call reverted without a reason.' }
  }
  try {
    if (size(data) >= 4) return decodeBySelector(data)
  } catch {
    // A known selector with other data after it: only the bytes can be passed on.
  }
  return {
    kind: 'unknown',
    data,
    name: 'UNKNOWN_REVERT',
    message: 'The call reverted with data that could not be read.',
  }
}

function decodeBySelector(data: Hex): DecodedRevert {
  switch (slice(data, 0, 4)) {
    case ERROR_SELECTOR:
      return errorRevert(decodeAbiParameters([{ type: 'string' }], slice(data, 4))[0])
    case PANIC_SELECTOR:
      return panicRevert(decodeAbiParameters([{ type: 'uint256' }], slice(data, 4))[0])
    default:
      return customRevert(data)
  }
}

function errorRevert(reason: string): DecodedRevert {
  const known = findProtocolRevert(reason)
  if (known !== undefined) return { kind: 'protocol', ...known }
  const text = cleanText(reason, MOST_TEXT)
  return { kind: 'error', text, name: 'ERROR', message: `The call reverted with the reason "${text}".` }
}

function panicRevert(panicCode: bigint): DecodedRevert {
  const known = PANICS.get(panicCode)
  const [name, meaning] = known ?? ['PANIC_UNKNOWN', 'The compiler does not document this code.']
  const message = `The call panicked with code 0x${panicCode.toString(16).padStart(2, '0')}: ${meaning}`
  return { kind: 'panic', panicCode, name, message }
}

function customRevert(data: Hex): DecodedRevert {
  const { errorName, args = [], abiItem } = decodeErrorResult({ abi: CUSTOM_ERRORS, data })
  const named = abiItem.inputs.map(({ name }, index) => [name, String(args[index])] as const)
  const facts = named.map(([name, value]) => `${name} ${value}`).join(', ')
  const message = `The call reverted with ${errorName}${facts === '' ? '' : ` (${facts})`}.`
  return { kind: 'custom', name: errorName, args: Object.fromEntries(named), message }
}
