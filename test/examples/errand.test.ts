import { createDevClient } from '@remit/devchain/testing/chain/client'
import type { Address } from 'viem'
import { expect, it } from 'vitest'
import { Meter } from '../../examples/agent/Meter.ts'
import { runBundled } from '../support/programs/program.ts'
import { useBundle } from '../support/programs/useBundle.ts'
import { startDevnetService } from './devnetService.ts'

const NEWCOMER: Address = '0x71bE63f3384f5fb98995898A86B02Fb2426c5788'

it('is done in 8 calls and 12,000 tokens of tool text, and signs nothing beyond its budget', async () => {
  const program = await useBundle('examples/agent/errand.ts')
  const { rpc, environment } = await startDevnetService()
  const signed = () => createDevClient(rpc).getTransactionCount({ address: NEWCOMER })
  const before = await signed()
  // 5 USDC a week are 21.740625 a month.
  const poor = runBundled(program, ['Green beans', '21.740624'], environment)
  expect(await poor.ends(), poor.output()).toBe(1)
  expect(poor.output()).toContain('would commit the wallet to 21.740625 a month')
  const unclear = runBundled(program, ['coffee.example', '25'], environment)
  expect(await unclear.ends()).toBe(1)
  expect(unclear.output()).toContain('More than one plan is called "coffee.example"')
  expect(await signed()).toBe(before)

  const errand = runBundled(program, ['Green beans', '21.740625'], environment)
  expect(await errand.ends(60_000), errand.output()).toBe(0)
  const said = errand.output()
  expect(said).toMatch(/^Found: 0x[0-9a-f]{64}, 5 USDC a week/m)
  expect(said).toMatch(/^Subscribed: success\.$/m)
  expect(said).toMatch(/^Paid: 5 USDC in block \d+\.$/m)
  expect(said).toMatch(/^Left, in block \d+\./m)
  const [, tokens, calls] = /^ *(\d+) {2}in (\d+) calls \(at most 12000 in 8\)$/m.exec(said) ?? []
  expect(Number(tokens)).toBeGreaterThan(1_000)
  expect(Number(tokens)).toBeLessThanOrEqual(12_000)
  expect(Number(calls)).toBeLessThanOrEqual(8)
}, 120_000)

it('counts a call and its text, and says when it is too much', async () => {
  const text = 'Nothing is signed or sent here.'
  const meter = new Meter(
    {
      listTools: async () => ({ tools: [{ name: 'x', inputSchema: { type: 'object' } }] }),
      callTool: async () => ({ content: [{ type: 'text', text }] }),
    },
    { calls: 1, tokens: 100 },
  )
  await meter.listTools()
  const ofTheList = meter.tokens
  await meter.callTool({ name: 'x' })
  expect([meter.calls, meter.tokens - ofTheList, meter.isWithin]).toEqual([1, 7, true])
  await meter.callTool({ name: 'x' })
  expect(meter.isWithin).toBe(false)
  expect(meter.table()).toContain('in 2 calls (at most 100 in 1)')
})
