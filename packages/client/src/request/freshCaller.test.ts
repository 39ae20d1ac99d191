import { expect, it } from 'vitest'
import type { Input } from '../call/toRequest.ts'
import type { Caller } from './createCaller.ts'
import { freshCaller, OwnWrites } from './freshCaller.ts'

const DEFAULT_CHAIN = 8453

/** A caller over a service whose head stands at `head`, and a clock that the test moves. */
function over({
  head = 10,
  usualChainId,
  refuses = () => false,
}: {
  head?: number
  usualChainId?: number
  refuses?: (input: Input) => boolean
} = {}) {
  const asked: Input[] = []
  const call: Caller = async (_name, input = {}) => {
    asked.push(input)
    if (refuses(input)) throw new Error('refused')
    const blockNumber = Math.max(head, Number(input.minBlock ?? 0))
    return { chainId: input.chainId ?? DEFAULT_CHAIN, asOf: { blockNumber } }
  }
  const clock = { ms: 0 }
  const ownWrites = new OwnWrites(() => clock.ms)
  return { asked, clock, ownWrites, call: freshCaller(call, ownWrites, usualChainId) }
}

it('names the block of the client’s own writes in whatever is asked of that chain', async () => {
  const { asked, ownWrites, call } = over()
  ownWrites.note(1, 12)
  ownWrites.note(1, 11)
  await call('prepareRemit', { from: '0x1', chainId: 1 })
  await call('getProtocolState', { chainId: 1 })
  await call('getProtocolState', { chainId: 2 })
  await call('getCatalog')
  expect(asked).toEqual([
    { from: '0x1', chainId: 1, minBlock: 12 },
    { chainId: 1, minBlock: 12 },
    { chainId: 2 },
    {},
  ])
})

it('leaves a caller’s own later block, and raises an earlier one', async () => {
  const { asked, ownWrites, call } = over({ usualChainId: 1 })
  ownWrites.note(1, 12)
  await call('getProtocolState', { minBlock: 15 })
  await call('getProtocolState', { minBlock: 3 })
  expect(asked).toEqual([{ minBlock: 15 }, { minBlock: 12 }])
})

it('asks once more where an answer shows that the default chain is the one of the writes', async () => {
  const { asked, ownWrites, call } = over({ head: 10 })
  ownWrites.note(DEFAULT_CHAIN, 12)
  expect(await call('getProtocolState')).toMatchObject({ asOf: { blockNumber: 12 } })
  await call('getProtocolState')
  expect(asked).toEqual([{}, { minBlock: 12 }, { minBlock: 12 }])
})

it('asks once more where a refusal may be one of a state before the writes', async () => {
  const { asked, ownWrites, call } = over({
    refuses: ({ minBlock, from }) => from !== undefined && minBlock === undefined,
  })
  ownWrites.note(DEFAULT_CHAIN, 12)
  expect(await call('prepareRemit', { from: '0x1' })).toMatchObject({ asOf: { blockNumber: 12 } })
  expect(asked).toEqual([{ from: '0x1' }, {}, { from: '0x1', minBlock: 12 }])
})

it('does not ask twice where the answer shows the writes already', async () => {
  const { asked, ownWrites, call } = over({ head: 12 })
  ownWrites.note(DEFAULT_CHAIN, 12)
  await call('getProtocolState')
  expect(asked).toEqual([{}])
})

it('forgets a block after two minutes: the chain may have been started anew', async () => {
  const { asked, clock, ownWrites, call } = over({ usualChainId: 1 })
  ownWrites.note(1, 500)
  clock.ms = 119_999
  await call('getProtocolState')
  clock.ms = 120_000
  await call('getProtocolState')
  ownWrites.note(1, 7)
  await call('getProtocolState')
  expect(asked).toEqual([{ minBlock: 500 }, {}, { minBlock: 7 }])
})
