import fc from 'fast-check'
import { concat, encodeAbiParameters, encodeErrorResult, type Hex, parseAbi, toFunctionSelector } from 'viem'
import { describe, expect, it } from 'vitest'
import { decodeRevert, findProtocolRevert, REVERTS } from './reverts.ts'
import { dueDayRange, FREQUENCIES } from './subscription.ts'

const errorString = (text: string): Hex =>
  concat([toFunctionSelector('Error(string)'), encodeAbiParameters([{ type: 'string' }], [text])])
const panic = (code: bigint): Hex =>
  concat([toFunctionSelector('Panic(uint256)'), encodeAbiParameters([{ type: 'uint256' }], [code])])

describe('the protocol’s revert strings', () => {
  it('are 0 to 25, each with a name and a sentence', () => {
    expect(REVERTS.map(({ protocolCode }) => protocolCode)).toEqual(
      Array.from({ length: 26 }, (_, n) => `${n}`),
    )
    for (const { name, message } of REVERTS) {
      expect(name).toMatch(/^[A-Z][A-Z0-9_]+$/)
      expect(message).toMatch(/^[A-Za-z].*\.$/)
    }
  })

  it('are found only by their exact text', () => {
    expect(findProtocolRevert('10')?.name).toBe('INSUFFICIENT_ALLOWANCE_OR_BALANCE')
    for (const text of ['010', '10 ', '', '26', '-1', 'ten']) expect(findProtocolRevert(text)).toBeUndefined()
  })

  it('state each frequency’s range of due days', () => {
    for (const frequency of FREQUENCIES) {
      const { min, max, revertCode } = dueDayRange(frequency)
      const message = findProtocolRevert(revertCode)?.message ?? ''
      expect(message.match(/\d+/g)?.map(Number)).toEqual([min, max])
    }
  })
})

describe('decodeRevert', () => {
  it('names a protocol string', () => {
    expect(decodeRevert(errorString('24'))).toMatchObject({
      kind: 'protocol',
      protocolCode: '24',
      name: 'SUBSCRIPTION_PAGING',
    })
  })

  it('passes on a token’s own reason, cleaned and capped', () => {
    expect(decodeRevert(errorString('ERC20: transfer amount exceeds balance'))).toEqual({
      kind: 'error',
      text: 'ERC20: transfer amount exceeds balance',
      name: 'ERROR',
      message: 'The call reverted with the reason "ERC20: transfer amount exceeds balance".',
    })
    const hostile = decodeRevert(errorString(`\u202e\u0000${'x'.repeat(5_000)}`))
    expect(hostile.kind === 'error' ? hostile.text : '').toBe(`${'x'.repeat(299)}…`)
  })

  it('explains panics, unknown ones too', () => {
    expect(decodeRevert(panic(0x11n))).toEqual({
      kind: 'panic',
      panicCode: 0x11n,
      name: 'PANIC_ARITHMETIC',
      message:
        'The call panicked with code 0x11: An arithmetic result was negative or did not fit in its type.',
    })
    expect(decodeRevert(panic(0x7n))).toEqual({
      kind: 'panic',
      panicCode: 0x7n,
      name: 'PANIC_UNKNOWN',
      message: 'The call panicked with code 0x07: The compiler does not document this code.',
    })
  })

  it('reads custom errors with their arguments by name', () => {
    const abi = parseAbi(['error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)'])
    const sender = '0x00000000000000000000000000000000000000A1'
    const data = encodeErrorResult({ abi, errorName: 'ERC20InsufficientBalance', args: [sender, 1n, 2n] })
    expect(decodeRevert(data)).toEqual({
      kind: 'custom',
      name: 'ERC20InsufficientBalance',
      args: { sender, balance: '1', needed: '2' },
      message: `The call reverted with ERC20InsufficientBalance (sender ${sender}, balance 1, needed 2).`,
    })
    expect(decodeRevert(toFunctionSelector('AccessControlBadConfirmation()'))).toEqual({
      kind: 'custom',
      name: 'AccessControlBadConfirmation',
      args: {},
      message: 'The call reverted with AccessControlBadConfirmation.',
    })
  })

  it('tells no data from data that it cannot read', () => {
    expect(decodeRevert('0x')).toEqual({
      kind: 'empty',
      name: 'EMPTY_REVERT',
      message: 'The call reverted without a reason.',
    })
    for (const data of ['0x08', '0xdeadbeef', '0x08c379a0', '0x4e487b71ff'] as const) {
      expect(decodeRevert(data)).toEqual({
        kind: 'unknown',
        data,
        name: 'UNKNOWN_REVERT',
        message: 'The call reverted with data that could not be read.',
      })
    }
  })

  it('never throws and never passes control characters on', () => {
    const selectors = ['Error(string)', 'Panic(uint256)', 'SafeERC20FailedOperation(address)'].map(
      (signature) => toFunctionSelector(signature),
    )
    const bytes = fc
      .uint8Array({ maxLength: 140 })
      .map((array): Hex => `0x${Buffer.from(array).toString('hex')}`)
    fc.assert(
      fc.property(fc.constantFrom<Hex>('0x', ...selectors), bytes, (selector, rest) => {
        expect(decodeRevert(concat([selector, rest])).message).not.toMatch(/\p{Cc}/u)
      }),
    )
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(decodeRevert(errorString(text)).message).not.toMatch(/[\p{Cc}\u202a-\u202e]/u)
      }),
    )
  })
})
