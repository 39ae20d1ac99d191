import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createDevClient } from '@remit/devchain/testing/chain/client'
import type { Address } from 'viem'
import { expect, it, onTestFinished } from 'vitest'
import { Meter } from '../../examples/agent/Meter.ts'
import { runBundled } from '../support/programs/program.ts'
import { useBundle } from '../support/programs/useBundle.ts'
import { startDevnetService } from './devnetService.ts'

const NEWCOMER: Address = '0x71bE63f3384f5fb98995898A86B02Fb2426c5788'

it('is done in 5 calls and 8,000 tokens of tool text, and signs nothing beyond its budget', async () => {
  const program = await useBundle('examples/agent/errand.ts')
  const { rpc, environment } = await startDevnetService()
  const signed = () => createDevClient(rpc).getTransactionCount({ address: NEWCOMER })
  const before = await signed()
  // 5 USDC a week are 21.740625 a month.
  const poor = runBundled(program, ['Green beans', '21.740624'], environment)
  expect(await poor.ends(), poor.output()).toBe(1)
  expect(poor.output()).toContain('would commit the wallet to 21.740625 a month')
  const unclear = runBundled(program, ['Coffee House', '25'], environment)
  expect(await unclear.ends()).toBe(1)
  expect(unclear.output()).toContain('More than one plan is called "Coffee House"')
  expect(await signed()).toBe(before)

  const errand = runBundled(program, ['Green beans', '21.740625'], environment)
  expect(await errand.ends(60_000), errand.output()).toBe(0)
  const said = errand.output()
  expect(said).toMatch(/^Found: 0x[0-9a-f]{64}, 5 USDC a week/m)
  expect(said).toMatch(/^Subscribed: success\.$/m)
  expect(said).toMatch(/^Paid: 5 USDC in block \d+\.$/m)
  expect(said).toMatch(/^Left, in block \d+\./m)
  const [, tokens, calls] = /^ *(\d+) {2}in (\d+) calls \(at most 8000 in 5\)$/m.exec(said) ?? []
  expect(Number(tokens)).toBeGreaterThan(1_000)
  expect(Number(tokens)).toBeLessThanOrEqual(8_000)
  expect(Number(calls)).toBeLessThanOrEqual(5)
}, 120_000)

it('costs a model 4 calls and 8,000 tokens to find, check, prepare and explain a plan, by the list it gets unasked', async () => {
  const { environment } = await startDevnetService()
  const client = new Client({ name: 'model', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new StreamableHTTPClientTransport(new URL(environment.MCP_URL)))
  onTestFinished(() => client.close())
  const meter = new Meter(client, { calls: 4, tokens: 8_000 })
  const { tools } = await meter.listTools()
  /** The text alone: it is all that many models are shown. */
  async function call(name: string, input: Record<string, unknown>): Promise<string> {
    expect(tools.map((tool) => tool.name)).toContain(name)
    const { content, isError } = await meter.callTool({ name, arguments: input })
    const [part] = content
    expect([isError ?? false, part?.type]).toEqual([false, 'text'])
    return part?.type === 'text' ? part.text : ''
  }

  // As a model writes it that must name every field.
  const found = await call('search_subscriptions', {
    ...{ q: 'green beans', maxAmount: '5', token: 'usdc', frequency: 'weekly' },
    ...{ cancelled: null, provider: null },
  })
  expect(found).toContain('Green beans')
  const [, id = ''] = /^- (0x[0-9a-f]{64}): 5 USDC weekly/m.exec(found) ?? []
  const input = { from: NEWCOMER, id, approvalPeriods: '12', infiniteApproval: null }
  const checked = await call('check_subscribe_readiness_by_id', input)
  expect(checked).toMatch(/^subscribe: ready\.$/m)
  expect(checked).toMatch(
    /A period costs 5 USDC\. Subscribing takes [\d.]+ USDC into the fee balance and [\d.]+ USDC for/,
  )
  expect(checked).toMatch(
    /The wallet holds [\d.]+ USDC and allows [\d.]+ USDC; [\d.]+ USDC would be approved/,
  )
  const prepared = await call('prepare_subscribe_by_id', input)
  expect(prepared).toMatch(/^\{"to":"0x.*"from":"0x71bE63f3384f5fb98995898A86B02Fb2426c5788"\}$/m)
  expect(await call('get_subscription_details', { id })).toContain('Green beans')
  expect([meter.calls, meter.isWithin], meter.table()).toEqual([4, true])
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
