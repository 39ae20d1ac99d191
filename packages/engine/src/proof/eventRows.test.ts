import type { EncodedLog } from '@remit/protocol/logs/events'
import { encodeLog } from '@remit/testing/support/models/encodeLog'
import { type Address, getAddress, type Hex, zeroAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import type { BlockView } from '../block/BlockView.ts'
import { FactStore } from '../block/facts.ts'
import { TokenNotApprovedError } from '../errors/chain.ts'
import type { LastingToken } from '../ports/chainReads.ts'
import { eventRows, resolveTokens, tokensNamed } from './eventRows.ts'

const address = (last: string) => getAddress(`0x${last.padStart(40, '0')}`)
const CONTRACT = address('c0')
const TOKEN = address('70')
const [ALICE, BOB] = [address('a1'), address('b2')]
const ID: Hex = `0x${'1d'.repeat(32)}`

const subLog = (subScriptEvent: number, amount: bigint, subscriber: Address = BOB): EncodedLog =>
  encodeLog(CONTRACT, 'SubLog', {
    id: ID,
    provider: ALICE,
    subscriber,
    timestamp: 1_700_000_000,
    amount,
    token: TOKEN,
    subScriptEvent,
  })

const transfer = (token: Address, value: bigint): EncodedLog =>
  encodeLog(token, 'Transfer', { from: ALICE, to: BOB, value })

function known(decimals: number): ReadonlyMap<Address, LastingToken> {
  return new Map([[TOKEN, { address: TOKEN, symbol: 'T', name: 'T', decimals, ownDecimals: decimals }]])
}

describe('event rows', () => {
  it.each([
    [6, '10.123456', 10_123_456n],
    [18, '10.12345678', 10_123_456_780_000_000_000n],
    [20, '10.12345678', 1_012_345_678_000_000_000_000n],
  ])('bring a SubLog to the token’s %i decimals, as the contract does', (decimals, amount, amountRaw) => {
    const [row] = eventRows([subLog(2, 10_123_456_780_000_000_000n)], CONTRACT, known(decimals))
    expect(row).toEqual({
      event: 'SubLog',
      address: CONTRACT,
      eventName: 'ProviderPaid',
      args: {
        id: ID,
        provider: ALICE,
        subscriber: BOB,
        timestamp: 1_700_000_000,
        token: TOKEN,
        subScriptEvent: 2,
      },
      amount,
      amountRaw,
      tokenDecimals: decimals,
    })
  })

  it('state no amount of a token that is not known', () => {
    const [paid, moved] = eventRows([subLog(2, 5n), transfer(TOKEN, 7n)], CONTRACT, new Map())
    for (const row of [paid, moved]) expect(row).not.toHaveProperty('amount')
    expect(paid?.args).not.toHaveProperty('amount')
    expect(moved?.args).toEqual({ from: ALICE, to: BOB, value: '7' })
  })

  it('name no subscriber where there is none', () => {
    const [created] = eventRows([subLog(0, 5n, zeroAddress)], CONTRACT, known(6))
    expect(created?.eventName).toBe('Created')
    expect(created?.args).not.toHaveProperty('subscriber')
  })

  it('name the other events’ arguments as the ABI does', () => {
    const coordinates = encodeLog(CONTRACT, 'Coordinates', {
      id: ID,
      subscriberIndex: 3n,
      subscriptionIndex: 2n,
      frequency: 1n,
      nextUncheckedDay: 20_000,
    })
    expect(eventRows([coordinates], CONTRACT, new Map())).toEqual([
      {
        event: 'Coordinates',
        address: CONTRACT,
        args: { id: ID, subscriberIndex: 3, subscriptionIndex: 2, frequency: 1, nextUncheckedDay: 20_000 },
      },
    ])
  })

  it('keep unreadable logs, and protocol events of other contracts, as events without a name', () => {
    const stranger = { ...subLog(0, 5n), address: address('bad') }
    const odd = { address: TOKEN, topics: [], data: '0x1234' as const }
    expect(eventRows([stranger, odd], CONTRACT, known(6))).toEqual([
      { event: null, address: address('bad'), args: {} },
      { event: null, address: TOKEN, args: {} },
    ])
  })
})

describe('the tokens of logs', () => {
  const logs = [subLog(2, 5n), transfer(TOKEN, 1n), transfer(address('71'), 1n)]

  it('are named once each', () => {
    expect(tokensNamed(logs, CONTRACT)).toEqual([TOKEN, address('71')])
  })

  it('are read if they are not known, up to a limit, and left out if they are not approved', async () => {
    const asked: Address[] = []
    const view: BlockView = {
      chainId: 1,
      asOf: { blockNumber: 1, blockHash: ID, timestamp: 1 },
      now: 2,
      read: {
        backlog: () => Promise.reject(new Error('not asked for')),
        token: async (token) => {
          asked.push(token)
          if (token !== TOKEN) throw new TokenNotApprovedError(token, 1)
          const text = { symbol: null, name: null, paused: false, minimum: 0n }
          return { address: token, decimals: 6, ownDecimals: 6, ...text }
        },
      },
    }
    const many = Array.from({ length: 40 }, (_, index) => address(`9${index}`))
    const tokens = await resolveTokens(view, new FactStore(), [TOKEN, ...many])
    expect([...tokens.keys()]).toEqual([TOKEN])
    expect(asked).toHaveLength(16)
  })
})
