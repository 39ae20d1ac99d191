import { Subscriptions } from '@remit/contracts/Subscriptions'
import { randomOf } from '@remit/testing/differential/random'
import { beginBusyLife } from '@remit/testing/support/chain/busyLife'
import { contractAt } from '@remit/testing/support/chain/contractAt'
import { protocolOn, tupleOf } from '@remit/testing/support/chain/protocolOn'
import { useTestChain } from '@remit/testing/support/chain/useTestChain'
import { fillFromLogs } from '@remit/testing/support/history/fillFromLogs'
import { useFaultyNode } from '@remit/testing/support/nodes/faultyNode'
import { lyingLogs } from '@remit/testing/support/nodes/nodeFaults'
import { describe, expect, it } from 'vitest'
import { allAudits, auditAccounts } from './audits.ts'

const chain = await useTestChain()
const node = await useFaultyNode(chain.url)
const life = await beginBusyLife(chain, randomOf(2))
for (let block = 0; block < 25; block += 1) await life.mine(4)
const protocol = protocolOn(chain)
const subscription = await protocol.create()
await protocol.join(subscription, chain.wallets.stranger)
await chain.client.mine({ blocks: 40 })
await chain.keep()

const { signal } = new AbortController()

async function audited(fault?: Parameters<typeof node.fail>[0]) {
  node.fail(fault)
  const filling = await fillFromLogs(chain, [node.url])
  await filling.fill()
  node.fail(undefined)
  const { chainId } = chain
  return auditAccounts({ chainId, store: filling.store, contract: filling.nodes, now: () => 0 })
}

describe('the audit of accounts', () => {
  it('finds nothing if nothing is hidden, even if a stranger has only left', async () => {
    const { address } = protocol
    await contractAt(chain.client, address, Subscriptions.abi).send(chain.wallets.keeper, 'unsubscribe', [
      tupleOf(subscription.id),
    ])
    const audit = await audited()
    expect(await audit(signal)).toBeNull()
  })

  it('finds an account of which a node has hidden all logs among final blocks', async () => {
    const stranger = chain.wallets.stranger.slice(2).toLowerCase()
    const audit = await audited(
      lyingLogs((logs) => logs.filter(({ topics }) => !topics.some((topic) => topic.includes(stranger)))),
    )
    expect(await audit(signal)).toMatch(
      /^The index of chain 31337 knows \d+ accounts at block \d+, and the contract has \d+: logs were hidden/,
    )
  })

  it('runs every ten minutes, and later if the block is gone', async () => {
    const filling = await fillFromLogs(chain, [node.url])
    await filling.fill()
    let nowMs = 0
    const { chainId } = chain
    const audit = auditAccounts({
      chainId,
      store: filling.store,
      contract: filling.nodes,
      now: () => nowMs,
    })
    node.fail({
      refuse: ({ method }) =>
        method === 'eth_call' ? { error: { code: -32000, message: 'header not found' } } : undefined,
    })
    expect(await audit(signal)).toBeUndefined()
    node.fail(undefined)
    nowMs = 599_999
    expect(await audit(signal)).toBeUndefined()
    nowMs = 600_000
    expect(await audit(signal)).toBeNull()
  })
})

it('several audits keep the result of each until it runs again', async () => {
  let second: string | null | undefined
  let first: string | null | undefined = 'The first differs.'
  const audit = allAudits([async () => first, async () => second])
  expect(await audit(signal)).toBe('The first differs.')
  first = undefined
  second = null
  expect(await audit(signal)).toBe('The first differs.')
  second = undefined
  expect(await audit(signal)).toBeUndefined()
  first = null
  expect(await audit(signal)).toBeNull()
})
