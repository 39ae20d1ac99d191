import type { CHECKS } from '@remit/service/testing/doctor/consequences'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { useTestChain } from './support/chain/useTestChain.ts'
import { type Faults, useCountingProxy } from './support/nodes/countingProxy.ts'
import { runBundled } from './support/programs/program.ts'
import { useBundle } from './support/programs/useBundle.ts'
import { environmentOf } from './support/service/indexer.ts'

const chain = await useTestChain()
await chain.client.mine({ blocks: 30 })
await chain.keep()
const proxy = await useCountingProxy(chain.url)
const doctor = await useBundle('packages/service/src/main.ts')
const SECRET = 'k3y-of-the-operator'

const Report = z.object({
  exitCode: z.number(),
  nodes: z.array(
    z.object({
      verdict: z.string(),
      findings: z.array(
        z.object({ check: z.string(), state: z.string(), fact: z.string(), value: z.number().optional() }),
      ),
      estimate: z
        .object({
          backfill: z.object({ requests: z.number() }).nullable(),
          day: z.object({ requests: z.number() }),
        })
        .nullable(),
    }),
  ),
})

/** Runs the doctor over the test chain behind the proxy. Its head is months old, which is no concern here. */
async function examine(faults: Faults, args: readonly string[] = ['--json']) {
  proxy.fail(faults)
  const url = `${proxy.url}/${SECRET}?key=${SECRET}`
  const program = runBundled(doctor, ['doctor', ...args], environmentOf({ ...chain, url }, 'file:none'))
  const code = await program.ends(60_000)
  const output = program.output()
  expect(output).not.toContain(SECRET)
  return { code, output }
}

async function reportOf(faults: Faults) {
  const { code, output } = await examine(faults)
  const { nodes, exitCode } = Report.parse(JSON.parse(output))
  expect(exitCode).toBe(code)
  const [node] = nodes
  if (node === undefined) throw new Error('nothing was examined')
  const stateOf = (check: (typeof CHECKS)[number]) => node.findings.find((finding) => finding.check === check)
  return { code, ...node, stateOf }
}

const refuse = (method: string, message = 'the method does not exist'): Faults => ({
  answer: (call) => (call.method === method ? { error: { code: -32601, message } } : undefined),
})

describe('npm run doctor', () => {
  it('tells a person what a node can do, what that costs and what to change', async () => {
    const { code, output } = await examine(refuse('eth_simulateV1'), [])
    expect(code).toBe(1)
    expect(output).toMatch(/ok +takes a block by its hash +yes \(EIP-1898\)/)
    expect(output).toMatch(
      /LIMITED +simulates \(eth_simulateV1\) +refused: the method does not exist \(code -32601\)/,
    )
    expect(output).toMatch(/What it means: POST \/simulate\/remit is refused/)
    expect(output).toMatch(/The first reading of the history: \d+ blocks in one request, about 1 s\./)
    expect(output).toMatch(/Following new blocks for a day takes [\d,]+ HTTP requests/)
    expect(output).toMatch(/Verdict: usable, with \d limitations\. See above\.\n/)
  })

  it('prints no part of the URL that may be a key, where a node repeats it', async () => {
    const { stateOf } = await reportOf(refuse('eth_feeHistory', `key ${SECRET} may not do this`))
    expect(stateOf('feeHistory')?.fact).toBe('refused: key <key> may not do this (code -32601)')
  })

  it('blames no node for what it does not answer because it is asked too often', async () => {
    const limited = { error: { code: 429, message: 'Too many requests' } }
    const { stateOf, verdict } = await reportOf({
      answer: ({ method }) => (method === 'eth_feeHistory' ? limited : undefined),
    })
    expect(stateOf('feeHistory')).toMatchObject({
      state: 'note',
      fact: 'not found out: it refuses so many requests',
    })
    expect(verdict).not.toBe('unusable')
  })

  it.each<[string, Faults, string, string]>([
    ['without EIP-1898', { hashPins: 'refused' }, 'blockHash', 'poorer'],
    ['that ignores lent code', { overrides: 'ignored' }, 'stateOverrides', 'poorer'],
    ['that refuses lent code', { overrides: 'refused' }, 'stateOverrides', 'poorer'],
    ['without logs', refuse('eth_getLogs'), 'pastLogs', 'bad'],
    ['without fees', refuse('eth_feeHistory'), 'feeHistory', 'bad'],
    ['of another chain', { chainId: 1 }, 'chain', 'bad'],
    ['that is down', { status: 503 }, 'chain', 'bad'],
  ])('finds a node %s', async (_, faults, check, state) => {
    const { findings, verdict, code } = await reportOf(faults)
    expect(findings.find((finding) => finding.check === check)?.state).toBe(state)
    expect(code).toBe(state === 'bad' ? 2 : 1)
    expect(verdict).toBe(state === 'bad' ? 'unusable' : 'poorer')
  })

  it('measures limits: the gas of a call and of a simulation, and the range of logs', async () => {
    const tooMany = { code: -32005, message: 'query exceeds max block range 10' }
    const { stateOf } = await reportOf({
      callGas: 12_000_000,
      answer({ method, params }) {
        const text = JSON.stringify(params)
        const gas = [...text.matchAll(/"gas":"(0x[\da-f]+)"/g)].reduce(
          (sum, [, hex = '']) => sum + Number(hex),
          0,
        )
        if (method === 'eth_simulateV1' && gas > 30_000_000) {
          return { error: { code: -38026, message: 'client limit exceeded' } }
        }
        const range = z.array(z.object({ fromBlock: z.string(), toBlock: z.string() })).safeParse(params)
        const blocks = range.success
          ? Number(range.data[0]?.toBlock) - Number(range.data[0]?.fromBlock) + 1
          : 0
        return method === 'eth_getLogs' && blocks > 10 ? { error: tooMany } : undefined
      },
    })
    expect(stateOf('callGas')?.value).toBe(12_000_000)
    expect(stateOf('simulationGas')).toMatchObject({ state: 'poorer', value: 30_000_000 })
    expect(stateOf('logRange')).toMatchObject({ state: 'poorer', value: 10 })
  })

  it('examines a URL of a built-in chain or with a contract, and names what is missing', async () => {
    const run = async (...args: string[]) => {
      const program = runBundled(doctor, ['doctor', ...args])
      return { code: await program.ends(60_000), output: program.output() }
    }
    const unknown = await run(proxy.url)
    expect(unknown).toEqual({
      code: 2,
      output: expect.stringMatching(/^Chain 31337 is not built in: .*--contract/),
    })
    const named = await run(proxy.url, '--contract', chain.contract)
    expect(named.output).toContain(`ok      has the protocol’s contract`)
    expect((await run('ftp://x')).output).toContain('The URL must be an http or https URL.')
    expect((await run('--help')).output).toContain('Exit codes')
  })
})
