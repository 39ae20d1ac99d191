import { Subscriptions } from '@remit/contracts/Subscriptions'
import { encodeFunctionData, erc20Abi, type Hex, maxUint256, zeroAddress } from 'viem'
import { type Lie, lie, NO_ARGUMENTS, ONE_CALL } from './Lie.ts'
import type { Attacker } from './lies.ts'
import { approval, at, type Batch, retransact, type Transaction } from './Wire.ts'

/** Characters of calldata that is a selector and nothing more. */
const SELECTOR_LENGTH = 10

/** About which calls there are, in which order, where they go and what they cost. */
export function liesAboutCalls(attacker: Attacker): Lie[] {
  const drain = (one: Transaction): Transaction => ({
    ...one,
    to: attacker.otherToken,
    data: approval(attacker.account, maxUint256),
  })
  const listed = (change: (list: NonNullable<Batch['eip5792']>) => object) => (batch: Batch) =>
    batch.eip5792 === undefined
      ? ONE_CALL
      : { ...batch, eip5792: { ...batch.eip5792, ...change(batch.eip5792) } }
  const moved = (to: Hex) => (batch: Batch) => at(batch, -1, () => ({ to }))
  const instead = (data: Hex) => (batch: Batch) => at(batch, -1, () => ({ data }))
  return [
    lie('goes to the attacker’s contract', moved(attacker.contract)),
    lie('goes to the zero address', moved(zeroAddress)),
    lie('goes to another token', moved(attacker.otherToken)),
    lie('goes to the same address in capitals', (batch) =>
      at(batch, -1, ({ to }) => ({ to: `0x${to.slice(2).toUpperCase()}` })),
    ),
    lie('has a call more in front', (batch) =>
      retransact(batch, (all) => [...all.slice(0, 1).map(drain), ...all]),
    ),
    lie('has a call more at the end', (batch) =>
      retransact(batch, (all) => [...all, ...all.slice(0, 1).map(drain)]),
    ),
    lie('has its last call twice', (batch) => retransact(batch, (all) => [...all, ...all.slice(-1)])),
    lie('has no call', (batch) => retransact(batch, () => [])),
    lie('lacks its first call', (batch) =>
      batch.unsignedTransactions.length === 1 ? ONE_CALL : retransact(batch, (all) => all.slice(1)),
    ),
    lie('lacks its last call', (batch) =>
      batch.unsignedTransactions.length === 1 ? ONE_CALL : retransact(batch, (all) => all.slice(0, -1)),
    ),
    lie('has its calls in another order', (batch) =>
      batch.unsignedTransactions.length === 1 ? ONE_CALL : retransact(batch, (all) => all.toReversed()),
    ),
    lie('sends a wei along', (batch) => at(batch, -1, () => ({ value: '0x1' }))),
    lie('sends all ether along', (batch) => at(batch, 0, () => ({ value: '0xd3c21bcecceda1000000' }))),
    lie('sends minus nothing along', (batch) => at(batch, 0, () => ({ value: '-0x0' }))),
    lie('sends nothing with a sign along', (batch) => at(batch, 0, () => ({ value: '+0x0' }))),
    lie('sends nothing as many zeros along', (batch) => at(batch, 0, () => ({ value: '0x00' }))),
    lie('transfers in place of what was asked for', (batch) =>
      at(batch, -1, () => ({
        to: attacker.otherToken,
        data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [attacker.account, 5n] }),
      })),
    ),
    lie('calls a function that only an admin may call', instead(pause(attacker))),
    lie('calls a function whose selector differs in its last byte', (batch) =>
      at(batch, -1, ({ data }) => ({ data: otherSelector(data) })),
    ),
    lie('calls without arguments', (batch) =>
      batch.unsignedTransactions.at(-1)?.data.length === SELECTOR_LENGTH
        ? NO_ARGUMENTS
        : at(batch, -1, ({ data }) => ({ data: `0x${data.slice(2, SELECTOR_LENGTH)}` })),
    ),
    lie('has bytes behind its calldata', (batch) => at(batch, -1, ({ data }) => ({ data: `${data}00` }))),
    lie('has calldata in capitals', (batch) =>
      at(batch, -1, ({ data }) => ({ data: `0x${data.slice(2).toUpperCase()}` })),
    ),
    lie(
      'gives the wallet a longer list',
      listed(({ calls }) => ({ calls: [...calls, ...calls.slice(-1)] })),
    ),
    lie(
      'gives the wallet a list in another order',
      listed(({ calls }) => ({ calls: calls.toReversed() })),
    ),
    lie(
      'gives the wallet a list with another spender',
      listed(({ calls }) => ({
        calls: calls.map((call, index) =>
          index === 0 ? { ...call, data: approval(attacker.account, 1n) } : call,
        ),
      })),
    ),
    lie(
      'gives the wallet a list that sends ether',
      listed(({ calls }) => ({
        calls: calls.map((call) => ({ ...call, value: '0x1' })),
      })),
    ),
    lie(
      'gives the wallet a list with capabilities',
      listed(() => ({
        capabilities: { paymasterService: { url: 'https://attacker.example' } },
      })),
    ),
    lie(
      'wants the list to be atomic',
      listed(() => ({ atomicRequired: true })),
    ),
    lie('gives the wallet a list beside what says that there is none', (batch) =>
      batch.eip5792 === undefined ? ONE_CALL : { ...batch, signingMode: 'raw' },
    ),
    lie('gives the wallet a list beside a single transaction', (batch) =>
      batch.eip5792 !== undefined
        ? 'it has a list'
        : {
            ...retransact(batch, (all) => [...all, ...all]),
            signingMode: 'raw',
            unsignedTransactions: batch.unsignedTransactions,
          },
    ),
    lie(
      'estimates ten times the gas',
      gasOf((gas) => gas * 10n),
    ),
    lie(
      'estimates a fifth more gas than the node would',
      gasOf((gas) => (gas * 145n) / 100n),
    ),
    lie(
      'estimates too little gas',
      gasOf(() => 21_000n),
    ),
    lie('says gas, price and nonce in its transactions', (batch) => ({
      ...batch,
      unsignedTransactions: batch.unsignedTransactions.map((one) => ({
        ...one,
        gas: '0x1c9c380',
        maxFeePerGas: '0x174876e80000',
        maxPriorityFeePerGas: '0x174876e80000',
        nonce: '0x0',
        type: '0x4',
        authorizationList: [{ address: attacker.contract, chainId: '0x7a69', nonce: '0x0' }],
      })),
    })),
  ]
}

function gasOf(change: (gas: bigint) => bigint) {
  return (batch: Batch): Batch => ({
    ...batch,
    gasEstimates: batch.gasEstimates.map((one) => ({
      ...one,
      gasLimit: String(change(BigInt(one.gasLimit))),
    })),
  })
}

function pause({ otherToken }: Attacker): Hex {
  return encodeFunctionData({ abi: Subscriptions.abi, functionName: 'pauseToken', args: [otherToken, true] })
}

function otherSelector(data: Hex): Hex {
  const last = Number.parseInt(data.slice(8, 10), 16) ^ 1
  return `0x${data.slice(2, 8)}${last.toString(16).padStart(2, '0')}${data.slice(10)}`
}
