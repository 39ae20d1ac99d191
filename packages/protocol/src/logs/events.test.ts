import { ISubscriptions } from '@remit/contracts/ISubscriptions'
import selectors from '@remit/testing/selectors.json' with { type: 'json' }
import { protocolOn } from '@remit/testing/support/chain/protocolOn'
import { useTestChain } from '@remit/testing/support/chain/useTestChain'
import { encodeLog } from '@remit/testing/support/models/encodeLog'
import fc from 'fast-check'
import {
  encodeEventTopics,
  erc20Abi,
  getAddress,
  type Hex,
  keccak256,
  numberToHex,
  pad,
  slice,
  toEventSelector,
  toHex,
  zeroAddress,
} from 'viem'
import { describe, expect, it } from 'vitest'
import {
  decodeLogs,
  decodeProtocolLog,
  decodeTokenLog,
  type EncodedLog,
  SUBSCRIPT_EVENT_NUMBERS,
  SUBSCRIPT_EVENTS,
  subscriptEventName,
} from './events.ts'
import { areEqual, bloomOf, HISTORY_TOPICS, isEmpty, isSparse, mayHold, parseBloom } from './wantedLogs.ts'

const contract = getAddress('0x00000000000000000000000000000000000c0de0')
const provider = getAddress('0x00000000000000000000000000000000000000a1')
const payer = getAddress('0x00000000000000000000000000000000000000b2')
const token = getAddress('0x00000000000000000000000000000000000000c3')
const id: Hex = `0x${'12'.repeat(32)}`

const { abi } = ISubscriptions
const lowerCase = (hex: Hex): Hex => `0x${hex.slice(2).toLowerCase()}`

const subLog = (subScriptEvent: number, subscriber: Hex = payer): EncodedLog =>
  encodeLog(contract, 'SubLog', {
    id,
    provider,
    subscriber,
    timestamp: 1_700_000_000,
    amount: 5n * 10n ** 18n,
    token,
    subScriptEvent,
  })

const transfer = (of: Hex): EncodedLog => encodeLog(of, 'Transfer', { from: payer, to: provider, value: 7n })

describe('decodeProtocolLog', () => {
  it('reads a SubLog with its event’s name', () => {
    expect(decodeProtocolLog(subLog(8))).toEqual({
      type: 'SubLog',
      eventName: 'FeeFilled',
      subScriptEvent: 8,
      id,
      provider,
      subscriber: payer,
      token,
      amount: 5n * 10n ** 18n,
      timestamp: 1_700_000_000,
    })
  })

  it('has no subscriber where the contract logs the zero address', () => {
    expect(decodeProtocolLog(subLog(0, zeroAddress))).toMatchObject({
      eventName: 'Created',
      subscriber: undefined,
    })
  })

  it('cleans the texts of strangers', () => {
    const url = 'https://e.com/\u202egpj'
    const description = `plan\u0000${'x'.repeat(10_000)}`
    const log = encodeLog(contract, 'DetailsLog', { id, provider, timestamp: 1, url, description })
    const event = decodeProtocolLog(log)
    expect(event).toMatchObject({ type: 'DetailsLog', id, provider, timestamp: 1, url: 'https://e.com/gpj' })
    expect(event?.type === 'DetailsLog' ? event.description.length : 0).toBe(4_096)
  })

  it('reads a provider’s profile', () => {
    const names = ['description', 'company', 'url', 'domain', 'email', 'misc']
    const args = { provider, timestamp: 2, ...Object.fromEntries(names.map((name) => [name, name])) }
    const log = encodeLog(contract, 'ProvDetailsLog', args)
    expect(decodeProtocolLog(log)).toEqual({ type: 'ProvDetailsLog', ...args })
  })

  it('reads the logs of remit and of the unsubscribed list', () => {
    const called = { timestamp: 3, checkedDay: 19_752, caller: payer, isFinished: false }
    const callerLog = encodeLog(contract, 'CallerLog', called)
    expect(decodeProtocolLog(callerLog)).toEqual({ type: 'CallerLog', ...called })
    const listed = { timestamp: 4, id, subscriber: payer }
    expect(decodeProtocolLog(encodeLog(contract, 'UList', listed))).toEqual({ type: 'UList', ...listed })
    const coordinates = encodeLog(contract, 'Coordinates', {
      id,
      subscriberIndex: 2n,
      subscriptionIndex: 1n,
      frequency: 3n,
      nextUncheckedDay: 19_752,
    })
    expect(decodeProtocolLog(coordinates)).toEqual({
      type: 'Coordinates',
      id,
      subscriberPosition: 2,
      subscriptionPosition: 1,
      frequency: 3,
      nextUncheckedDay: 19_752,
    })
  })

  it('knows every event of the deployed contract by its topic', () => {
    const own = ['SubLog', 'DetailsLog', 'ProvDetailsLog', 'CallerLog', 'UList', 'Coordinates'] as const
    for (const eventName of own) {
      expect(encodeEventTopics({ abi, eventName })[0]).toBe(selectors.events[eventName])
    }
  })
})

it('what the index reads is the subscriptions’ life, their texts, and the days of remit', () => {
  const { SubLog, DetailsLog, ProvDetailsLog, CallerLog } = selectors.events
  expect([...HISTORY_TOPICS].sort()).toEqual([SubLog, DetailsLog, ProvDetailsLog, CallerLog].sort())
})

describe('decodeLogs', () => {
  it('takes protocol events from the contract only and token events from anywhere', () => {
    const logs = [subLog(6), { ...subLog(6), address: token }, transfer(token), transfer(payer)]
    expect(decodeLogs(logs, contract).map(({ type }) => type)).toEqual([
      'SubLog',
      'Unknown',
      'Transfer',
      'Transfer',
    ])
  })

  it('compares addresses whatever their case and keeps each log as it came', () => {
    const log = { ...subLog(6), address: lowerCase(contract), logIndex: 4 }
    const [decoded] = decodeLogs([log], contract)
    expect(decoded?.type).toBe('SubLog')
    expect(decoded?.log).toBe(log)
  })

  it('leaves alone what only looks like a known event', () => {
    const { topics, data } = transfer(token)
    const nft = { address: token, topics: [...topics, pad('0x01')], data: '0x' } as const
    const cut = { address: token, topics, data: slice(data, 0, 9) }
    const anonymous = { address: token, topics: [], data }
    const outside = subLog(10)
    const cutProtocol = { ...subLog(1), data: '0x' } as const
    const decoded = decodeLogs([nft, cut, anonymous, outside, cutProtocol], contract)
    expect(decoded.map(({ type }) => type)).toEqual(Array(5).fill('Unknown'))
  })

  it('never throws, whatever the data under a known topic', () => {
    const bytes = fc
      .uint8Array({ maxLength: 200 })
      .map((array): Hex => `0x${Buffer.from(array).toString('hex')}`)
    const known = [...abi, ...erc20Abi]
      .filter(({ type }) => type === 'event')
      .map((event) => toEventSelector(event))
    fc.assert(
      fc.property(
        fc.constantFrom(...known),
        fc.array(bytes, { maxLength: 3 }),
        bytes,
        (topic, indexed, data) => {
          const log = { address: contract, topics: [topic, ...indexed], data }
          expect(decodeLogs([log], contract)).toHaveLength(1)
          expect(decodeLogs([log], token)).toHaveLength(1)
        },
      ),
    )
  })

  it('reads approvals', () => {
    const log = encodeLog(token, 'Approval', { owner: payer, spender: contract, value: 9n })
    expect(decodeTokenLog(log)).toEqual({
      type: 'Approval',
      owner: payer,
      spender: contract,
      amountRaw: 9n,
    })
  })
})

describe('subscriptEventName', () => {
  it('names the ten events in the contract’s order', () => {
    expect(
      SUBSCRIPT_EVENTS.map(({ contractName }, number) => [contractName, subscriptEventName(number)]),
    ).toEqual([
      ['CREATE', 'Created'],
      ['CANCEL', 'Cancelled'],
      ['PROVPAID', 'ProviderPaid'],
      ['FAILED', 'Failed'],
      ['PROVREFUND', 'ProviderRefunded'],
      ['SUBPAID', 'SubscriberPaid'],
      ['SUBSCRIBED', 'Subscribed'],
      ['UNSUBSCRIBED', 'Unsubscribed'],
      ['FEEFILL', 'FeeFilled'],
      ['SUBREFUND', 'SubscriberRefunded'],
    ])
  })

  it('has the same numbers in both tables', () => {
    expect(Object.entries(SUBSCRIPT_EVENT_NUMBERS)).toEqual(
      SUBSCRIPT_EVENTS.map(({ name }, number) => [name, number]),
    )
  })

  it('refuses other numbers', () => {
    expect(() => subscriptEventName(10)).toThrow(RangeError)
    expect(() => subscriptEventName(-1)).toThrow(RangeError)
  })
})

const chain = await useTestChain()

const topicOf = (index: number) => keccak256(numberToHex(index))
const bloomWith = (topics: number) =>
  bloomOf([{ address: zeroAddress, topics: Array.from({ length: topics }, (_, index) => topicOf(index)) }])

describe('a bloom', () => {
  it('is made as the chain makes it', async () => {
    const protocol = protocolOn(chain)
    await protocol.join(await protocol.create(), chain.wallets.alice)
    const block = await chain.client.getBlock()
    const logs = await chain.client.getLogs({ blockHash: block.hash })
    expect(logs.length).toBeGreaterThan(2)
    const bloom = parseBloom(block.logsBloom)
    expect(areEqual(bloomOf(logs), bloom)).toBe(true)
    expect(
      areEqual(bloomOf(logs.filter(({ address }) => address !== chain.contract.toLowerCase())), bloom),
    ).toBe(false)
    expect(isEmpty(bloom)).toBe(false)
    for (const { address, topics } of logs) {
      for (const value of [address, ...topics]) expect(mayHold(bloom, value)).toBe(true)
    }
  })

  it('excludes most of what is not in it as long as it is telling', () => {
    const bloom = bloomWith(200)
    expect(isSparse(bloom)).toBe(true)
    const strangers = Array.from({ length: 1_000 }, (_, index) => topicOf(10_000 + index))
    expect(strangers.filter((topic) => mayHold(bloom, topic)).length).toBeLessThan(50)
  })

  it('tells nothing any more from some 820 different values on', () => {
    expect(isSparse(bloomWith(780))).toBe(true)
    expect(isSparse(bloomWith(860))).toBe(false)
    expect(isSparse(parseBloom(toHex(new Uint8Array(256).fill(255))))).toBe(false)
  })

  it('of a block without logs is empty', () => {
    expect(isEmpty(bloomOf([]))).toBe(true)
  })
})
