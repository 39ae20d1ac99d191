import { keccak256, numberToHex, toHex, zeroAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { protocolOn } from '../../../test/support/chain/protocolOn.ts'
import { useTestChain } from '../../../test/support/chain/useTestChain.ts'
import { areEqual, bloomOf, isEmpty, isTelling, mayHold, parseBloom } from './logsBloom.ts'

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
    expect(isTelling(bloom)).toBe(true)
    const strangers = Array.from({ length: 1_000 }, (_, index) => topicOf(10_000 + index))
    expect(strangers.filter((topic) => mayHold(bloom, topic)).length).toBeLessThan(50)
  })

  it('tells nothing any more from some 820 different values on', () => {
    expect(isTelling(bloomWith(780))).toBe(true)
    expect(isTelling(bloomWith(860))).toBe(false)
    expect(isTelling(parseBloom(toHex(new Uint8Array(256).fill(255))))).toBe(false)
  })

  it('of a block without logs is empty', () => {
    expect(isEmpty(bloomOf([]))).toBe(true)
  })
})
