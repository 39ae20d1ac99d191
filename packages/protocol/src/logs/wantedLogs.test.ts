import { getAddress, type Hex, pad, zeroHash } from 'viem'
import { describe, expect, it } from 'vitest'
import { APPROVAL_TOPIC, HISTORY_ONLY, HISTORY_TOPICS, isWanted, logFilters } from './wantedLogs.ts'

const contract = getAddress(pad('0xc0de', { size: 20 }))
const token = getAddress(pad('0x70cea', { size: 20 }))
const spender = pad(contract.toLowerCase() as Hex)
const all = { history: true, approvalsOf: [token] }

describe('the logs that a node is asked for', () => {
  it('are those of the contract and approvals of it, each only where they are wanted', () => {
    expect(logFilters(contract, all)).toEqual({
      own: { address: contract, topics: [HISTORY_TOPICS] },
      ofTokens: { address: [token], topics: [APPROVAL_TOPIC, null, spender] },
    })
    expect(logFilters(contract, HISTORY_ONLY).ofTokens).toBeUndefined()
    expect(logFilters(contract, { history: false, approvalsOf: [token] }).own).toBeUndefined()
  })

  it('are told from others that a node sends, whatever the case of an address', () => {
    const history = { address: contract, topics: [HISTORY_TOPICS.at(-1) ?? zeroHash] }
    const approval = { address: token, topics: [APPROVAL_TOPIC, zeroHash, spender] }
    for (const log of [history, approval]) {
      expect(isWanted(log, contract, all)).toBe(true)
      const lowered = { ...log, address: log.address.toLowerCase() as Hex }
      expect(isWanted(lowered, contract, all)).toBe(true)
    }
    expect(isWanted(history, contract, { history: false, approvalsOf: [token] })).toBe(false)
    expect(isWanted(approval, contract, HISTORY_ONLY)).toBe(false)
    const others = [
      { ...history, topics: [zeroHash] },
      { ...history, topics: [] },
      { ...history, topics: approval.topics },
      { ...approval, address: pad('0xbad', { size: 20 }) },
      { ...approval, topics: [zeroHash, zeroHash, spender] },
      { ...approval, topics: [APPROVAL_TOPIC, spender, zeroHash] },
      // An ERC-721 token's approval has its number as a fourth topic.
      { ...approval, topics: [...approval.topics, zeroHash] },
    ]
    for (const log of others) expect(isWanted(log, contract, all)).toBe(false)
  })
})
