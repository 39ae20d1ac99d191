import { silentLog, useReadingGround } from '@remit/testing/support/chain/useReadingGround'
import { writeDue, writeSubscribers } from '@remit/testing/support/chain/writeState'
import type { Faults } from '@remit/testing/support/nodes/countingProxy'
import { encodeErrorResult, parseAbi } from 'viem'
import { describe, expect, it } from 'vitest'
import { UpstreamError, UpstreamTimeoutError, ViewFailedError } from '../errors/chain.ts'
import type { ChainReads } from '../ports/chainReads.ts'
import type { ChainView } from '../ports/chains.ts'

// A node of 25 million gas, and more of everything than it can list.
const GAS = { callGas: 25_000_000 }
const SUBSCRIBERS = 4_000
const IDS = 4_000

const panicAbi = parseAbi(['error Panic(uint256 code)'])

const ground = await useReadingGround()
const { protocol, proxy, wallets } = ground
const crowded = await protocol.create()
await writeSubscribers(ground, crowded, SUBSCRIBERS)
const many = await protocol.create({ dueDay: 4 })
const ids = await writeDue(ground, many, { subscriber: wallets.alice, size: IDS })
await ground.advanceDays(3)
await ground.keep()

const through = (faults: Faults, use: (view: ChainView) => Promise<void>) =>
  ground.view((view) => {
    proxy.fail(faults)
    return use(view)
  })

describe('more than a node of 25 million gas can list', () => {
  it('of ids on one due day is read once and checked in slices', async () => {
    await through(GAS, async ({ read }) => {
      const [due] = await read.due([{ frequency: 0, dueDay: 4 }])
      expect(due?.subscriptionIds).toEqual(ids)
      expect(proxy.methods.length).toBeLessThanOrEqual(16)
    })
  })

  it('of subscribers is an error by name, and costs one question at a block, however often it is asked', async () => {
    await through(GAS, async ({ read }) => {
      for (let asked = 0; asked < 3; asked += 1) {
        await expect(read.subscribers(crowded.id)).rejects.toThrow(ViewFailedError)
      }
      expect(proxy.methods).toEqual(['eth_call'])
    })
  })

  it('of a backlog is said to be unread, after few questions', async () => {
    await through(GAS, async ({ read }) => {
      const backlog = await read.backlog(wallets.keeper)
      expect(backlog).toMatchObject({ isRead: false, lists: [], wallets: [] })
      expect(backlog.settings.nextUncheckedDay).toBeGreaterThan(20_000)
      expect(proxy.methods.length).toBeLessThanOrEqual(4)
    })
  })
})

it('no read asks more than 40 questions', async () => {
  await through({ callGas: 3_000_000 }, async ({ read }) => {
    const failed = await read.subscriptionsById(ids).catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(UpstreamError)
    expect(proxy.methods.length).toBeLessThanOrEqual(40)
  })
})

it('pages that are each in time are too late together', async () => {
  const chains = ground.open({}, silentLog, { rpcTimeoutMs: 1_000 })
  const read = (use: (view: ChainView) => Promise<unknown>) => chains.withView(ground.chainId, {}, use)
  await read((view) => view.read.protocol())
  proxy.fail({ ...GAS, delayMs: 400 })
  await read((view) => view.read.subscription(many.id))
  const late = read((view) => view.read.due([{ frequency: 0, dueDay: 4 }]))
  await expect(late).rejects.toThrow(UpstreamTimeoutError)
})

it('a revert that is not the lens’s own names no view', async () => {
  const data = encodeErrorResult({ abi: panicAbi, errorName: 'Panic', args: [0x32n] })
  const error = { code: 3, message: 'execution reverted', data }
  await through({ answer: () => ({ error }) }, async ({ read }) => {
    await expect(read.protocol()).rejects.toThrow(UpstreamError)
  })
})

describe('a number that the contract could not have is a failure of the node', () => {
  const word = (value: string) => value.padStart(64, '0')
  const { usdc } = ground.tokens
  // The decimals stand behind the token's address.
  const token = word(usdc.slice(2).toLowerCase())

  it.each<[string, string, string, (read: ChainReads) => Promise<unknown>]>([
    ['decimals', token + word('6'), token + word('ffffffff'), (read) => read.token(usdc)],
    ['a fee', word('27d8'), word('0'), (read) => read.createState(usdc, wallets.provider)],
  ])('in %s', async (_, real, wrong, ask) => {
    await through({ alter: (text) => text.replaceAll(real, wrong) }, async ({ read }) => {
      await expect(ask(read)).rejects.toThrow(UpstreamError)
    })
  })
})
