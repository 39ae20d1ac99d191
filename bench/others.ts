import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Abi,
  type Address,
  createPublicClient,
  decodeFunctionResult,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  http,
} from 'viem'
import * as z from 'zod'
import { ISubscriptions } from '../contracts/generated/ISubscriptions.ts'
import { type Devnet, startDevnet } from '../devnet/startDevnet.ts'
import { loadConfig } from '../src/configuration/loadConfig.ts'
import { startService } from '../src/service.ts'
import { type CountingProxy, startCountingProxy } from '../test/support/nodes/countingProxy.ts'
import { environmentAt } from './server.ts'

// The same facts in several ways, over a node that is so many milliseconds away: from the service at a new block (cold)
// and at the same block (warm), and from the node with viem, with ethers and with JSON-RPC by hand. Those ask as well as
// they can: what needs no answer of before shares one HTTP request.

/** Milliseconds to the node, and how often each way is timed there. */
const RUNS = [
  { delayMs: 0, runs: 50 },
  { delayMs: 10, runs: 30 },
  { delayMs: 40, runs: 20 },
  { delayMs: 200, runs: 8 },
]
const WARM_UP = 5
/** What the others are compared with: nobody who asks the node himself is faster. */
export const BY_HAND = 'JSON-RPC by hand'

const quiet = { info() {}, warn() {}, error() {} }
const protocolAbi: Abi = ISubscriptions.abi
const tokenAbi: Abi = erc20Abi

/** One way to ask the node. What is asked in the same turn shares an HTTP request. */
interface Reader {
  view(name: string, args: readonly unknown[]): Promise<unknown>
  tokenView(token: Address, name: string, args: readonly unknown[]): Promise<unknown>
  request(method: string, params: readonly unknown[]): Promise<unknown>
  close?(): void
}

interface Target {
  readonly url: string
  readonly chainId: number
  readonly contract: Address
}

function viemReader({ url, contract }: Target): Reader {
  const client = createPublicClient({ transport: http(url, { batch: true, retryCount: 0 }) })
  return {
    view: (functionName, args) =>
      client.readContract({ address: contract, abi: protocolAbi, functionName, args }),
    tokenView: (address, functionName, args) =>
      client.readContract({ address, abi: tokenAbi, functionName, args }),
    request: (method, params) => client.transport.request({ method, params }),
  }
}

const RpcAnswers = z.array(z.object({ id: z.int(), result: z.unknown(), error: z.unknown().optional() }))

function handReader({ url, contract }: Target): Reader {
  type Waiting = {
    readonly body: object
    readonly answer: (result: unknown) => void
    readonly fail: (error: unknown) => void
  }
  let waiting: Waiting[] = []
  async function send(): Promise<void> {
    const batch = waiting
    waiting = []
    try {
      const body = JSON.stringify(batch.map((one, id) => ({ jsonrpc: '2.0', id, ...one.body })))
      const headers = { 'Content-Type': 'application/json' }
      const response = await fetch(url, { method: 'POST', headers, body })
      for (const { id, result, error } of RpcAnswers.parse(await response.json())) {
        if (error === undefined) batch[id]?.answer(result)
        else batch[id]?.fail(error)
      }
    } catch (error) {
      for (const one of batch) one.fail(error)
    }
  }
  const request = (method: string, params: readonly unknown[]) =>
    new Promise<unknown>((answer, fail) => {
      if (waiting.length === 0) queueMicrotask(send)
      waiting.push({ body: { method, params }, answer, fail })
    })
  const call = async (to: Address, abi: Abi, functionName: string, args: readonly unknown[]) => {
    const data = encodeFunctionData({ abi, functionName, args })
    const result = z.custom<Hex>().parse(await request('eth_call', [{ to, data }, 'latest']))
    return decodeFunctionResult({ abi, functionName, data: result })
  }
  return {
    view: (name, args) => call(contract, protocolAbi, name, args),
    tokenView: (token, name, args) => call(token, tokenAbi, name, args),
    request,
  }
}

const ETHERS = join(import.meta.dirname, 'ethers')
const EthersModule = z.object({
  ethersReader: z.custom<(target: Target & { readonly abi: Abi; readonly tokenAbi: Abi }) => Reader>(),
})

/** Nothing where ethers is not installed: `npm ci --prefix bench/ethers`. */
async function ethersReader(target: Target): Promise<Reader | undefined> {
  if (!existsSync(join(ETHERS, 'node_modules'))) return undefined
  const module: unknown = await import(join(ETHERS, 'reader.mjs'))
  return EthersModule.parse(module).ethersReader({ ...target, abi: protocolAbi, tokenAbi })
}

/** The fields that the next questions need. */
const Terms = z.tuple([z.string(), z.unknown(), z.string(), z.custom<Address>()]).rest(z.unknown())
const Rows = z.array(z.object({ subscription: z.object({ id: z.string(), token: z.custom<Address>() }) }))

/** A fact: where the service tells it, and what it takes to learn it from a node. */
interface Fact {
  readonly name: string
  readonly path: string
  readonly body?: object
  read(reader: Reader): Promise<unknown>
}

function factsOf({ cast, wallets, contractAddress }: Devnet): readonly Fact[] {
  const { id } = cast.newsMonthly
  const { ada, newcomer } = wallets
  const termsOf = async (reader: Reader) => {
    const terms = await reader.view('idSubMap', [id])
    const [, , , token] = Terms.parse(Array.from(z.custom<Iterable<unknown>>().parse(terms)))
    return { terms, token }
  }
  return [
    {
      name: 'a subscription',
      path: `/subscriptions/${id}`,
      async read(reader) {
        const { token } = await termsOf(reader)
        return await Promise.all([
          reader.view('approvedERC20', [token]),
          reader.view('nextUncheckedDay', []),
          reader.tokenView(token, 'symbol', []),
          reader.tokenView(token, 'decimals', []),
        ])
      },
    },
    {
      name: 'an account',
      path: `/accounts/${ada}`,
      async read(reader) {
        const [subscribed, provided] = await Promise.all([
          reader.view('getAccountSubscriptions', [true, ada]),
          reader.view('getAccountSubscriptions', [false, ada]),
          reader.view('nextUncheckedDay', []),
        ])
        const paid = Rows.parse(subscribed)
        return await Promise.all([
          ...[...paid, ...Rows.parse(provided)].map(({ subscription: { token } }) =>
            reader.view('approvedERC20', [token]),
          ),
          ...paid.flatMap(({ subscription: { id: own, token } }) => [
            reader.view('feeBalance', [own, ada]),
            reader.tokenView(token, 'allowance', [ada, contractAddress]),
            reader.tokenView(token, 'balanceOf', [ada]),
          ]),
        ])
      },
    },
    {
      name: 'a prepared subscribe',
      path: '/prepare/subscribe_by_id',
      body: { from: newcomer, id },
      async read(reader) {
        const { terms, token } = await termsOf(reader)
        const [key, amount, provider, , cancelled, frequency, dueDay] = Array.from(
          z.custom<Iterable<unknown>>().parse(terms),
        )
        const subscription = { id: key, amount, provider, token, cancelled, frequency, dueDay }
        const approve = encodeFunctionData({
          abi: erc20Abi,
          functionName: 'approve',
          args: [contractAddress, 10n ** 12n],
        })
        const subscribe = encodeFunctionData({
          abi: protocolAbi,
          functionName: 'subscribe',
          args: [subscription],
        })
        const calls = [
          { from: newcomer, to: token, data: approve },
          { from: newcomer, to: contractAddress, data: subscribe },
        ]
        return await Promise.all([
          reader.tokenView(token, 'allowance', [newcomer, contractAddress]),
          reader.tokenView(token, 'balanceOf', [newcomer]),
          reader.tokenView(token, 'decimals', []),
          reader.request('eth_simulateV1', [
            { blockStateCalls: [{ calls }], traceTransfers: true },
            'latest',
          ]),
        ])
      },
    },
  ]
}

/** One way to one fact at one distance. Questions are medians, and HTTP requests beside them. */
export interface Compared {
  readonly fact: string
  readonly delayMs: number
  readonly way: string
  readonly times: readonly number[]
  readonly questions: number
  readonly trips: number
}

/** @param share of the runs that are made */
export async function compareWithOthers(
  share: number,
  onCompared: (compared: Compared) => void = () => {},
): Promise<readonly Compared[]> {
  const devnet = await startDevnet({ port: 0 })
  const proxy = await startCountingProxy(devnet.url)
  const far = { ...devnet, url: proxy.url }
  const environment = environmentAt(far, 'others', { SWEEP_REQUESTS_PER_HOUR: '0' })
  const service = await startService(loadConfig(environment), quiet)
  await service.ready
  const target = { url: proxy.url, chainId: devnet.chainId, contract: devnet.contractAddress }
  const ethers = await ethersReader(target)
  const readers = { viem: viemReader(target), ...(ethers && { ethers }), [BY_HAND]: handReader(target) }
  const ask = async ({ path, body }: Pick<Fact, 'path' | 'body'>) => {
    const headers = { 'Content-Type': 'application/json' }
    const init = body && { method: 'POST', headers, body: JSON.stringify(body) }
    const response = await fetch(`${service.url}${path}`, init)
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`)
  }
  const newBlock = async () => {
    await rpc(devnet.url, 'evm_mine')
    const head = Number(await rpc(devnet.url, 'eth_blockNumber'))
    await ask({ path: `/protocol/state?minBlock=${head}` })
  }
  const compared: Compared[] = []
  try {
    for (const { delayMs, runs } of RUNS) {
      proxy.fail({ delayMs })
      for (const fact of factsOf(devnet)) {
        const ways: readonly (readonly [string, () => Promise<unknown>])[] = [
          ['Remit, cold', () => ask(fact)],
          ['Remit, warm', () => ask(fact)],
          ...Object.entries(readers).map(([way, reader]) => [way, () => fact.read(reader)] as const),
        ]
        const samples = new Map(ways.map(([way]) => [way, noSamples()]))
        for (let run = delayMs === 0 ? -WARM_UP : 0; run < Math.ceil(runs * share); run += 1) {
          await newBlock()
          // Whoever comes first finds the node colder.
          const turns = run % 2 === 0 ? ways : [...ways.slice(2), ...ways.slice(0, 2)]
          for (const [way, work] of turns) {
            const sample = await measure(proxy, work)
            if (run < 0) continue
            samples.get(way)?.times.push(sample.ms)
            samples.get(way)?.asked.push(sample)
          }
        }
        for (const [way, { times, asked }] of samples) {
          const one = { fact: fact.name, delayMs, way, times, ...least(asked) }
          compared.push(one)
          onCompared(one)
        }
      }
    }
  } finally {
    ethers?.close?.()
    await service.close()
    await proxy.close()
    await devnet.stop()
  }
  return compared
}

interface Asked {
  readonly questions: number
  readonly trips: number
}
interface Samples {
  readonly times: number[]
  readonly asked: Asked[]
}

const noSamples = (): Samples => ({ times: [], asked: [] })

async function measure(proxy: CountingProxy, work: () => Promise<unknown>): Promise<Asked & { ms: number }> {
  proxy.reset()
  const begun = performance.now()
  await work()
  const ms = performance.now() - begun
  return { ms, questions: proxy.reads.flat().length, trips: proxy.reads.length }
}

/** The index asks the node at the same time, of its own accord. So the least is what this way asked. */
function least(asked: readonly Asked[]): Asked {
  return {
    questions: Math.min(...asked.map(({ questions }) => questions)),
    trips: Math.min(...asked.map(({ trips }) => trips)),
  }
}

async function rpc(url: string, method: string): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] })
  const response = await fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
  return z.object({ result: z.unknown() }).parse(await response.json()).result
}
