import { createPublicClient, http } from 'viem'
import { ISubscriptions } from '../contracts/generated/ISubscriptions.ts'
import { environmentOver } from '../devnet/main.ts'
import { startDevnet } from '../devnet/startDevnet.ts'
import { loadConfig } from '../src/configuration/loadConfig.ts'
import { startService } from '../src/service.ts'

// An account with all its subscriptions, read in three ways: through the service at a new block (cold), through the
// service at the same block (warm), and by calling the contract's views one after the other.

const RUNS = 7
const CALLS = 20

const quiet = { info() {}, warn() {}, error() {} }
const devnet = await startDevnet({ port: 0 })
const service = await startService(loadConfig(environmentOver(devnet, { PORT: '0' })), quiet)
const client = createPublicClient({ transport: http(devnet.url) })
const account = devnet.wallets.ada

async function throughService(): Promise<void> {
  const response = await fetch(`${service.url}/accounts/${account}`)
  if (response.status !== 200) throw new Error(`answered ${response.status}`)
  await response.arrayBuffer()
}

async function newBlock(): Promise<void> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'evm_mine', params: [] })
  await fetch(devnet.url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
  const blockNumber = await client.getBlockNumber({ cacheTime: 0 })
  await fetch(`${service.url}/protocol/state?minBlock=${blockNumber}`)
}

async function byViews(): Promise<void> {
  const read = { address: devnet.contractAddress, abi: ISubscriptions.abi } as const
  await client.readContract({ ...read, functionName: 'nextUncheckedDay' })
  for (const bySubscriber of [true, false]) {
    const args = [bySubscriber, account] as const
    const rows = await client.readContract({ ...read, functionName: 'getAccountSubscriptions', args })
    for (const { subscription } of rows) {
      await client.readContract({ ...read, functionName: 'approvedERC20', args: [subscription.token] })
      if (!bySubscriber) continue
      const balance = [subscription.id, account] as const
      await client.readContract({ ...read, functionName: 'feeBalance', args: balance })
    }
  }
}

async function timed(
  work: () => Promise<void>,
  before: () => Promise<void> = async () => {},
): Promise<number> {
  let total = 0
  for (let call = 0; call < CALLS; call += 1) {
    await before()
    const begun = performance.now()
    await work()
    total += performance.now() - begun
  }
  return total / CALLS
}

const ratios: { cold: number; views: number }[] = []
for (let run = 0; run < RUNS; run += 1) {
  const cold = await timed(throughService, newBlock)
  const warm = await timed(throughService)
  const views = await timed(byViews)
  ratios.push({ cold: cold / warm, views: views / cold })
}
const spread = (values: number[]) => {
  const sorted = values.toSorted((a, b) => a - b)
  return `${sorted[Math.floor(sorted.length / 2)]?.toFixed(1)} (${sorted[0]?.toFixed(1)} to ${sorted.at(-1)?.toFixed(1)})`
}
process.stdout.write(
  `GET /accounts/:address over ${RUNS} interleaved runs of ${CALLS} calls, median and range\n` +
    `  a new block costs, beside a warm answer:         × ${spread(ratios.map(({ cold }) => cold))}\n` +
    `  views one by one cost, beside a cold answer:     × ${spread(ratios.map(({ views }) => views))}\n`,
)
await service.close()
await devnet.stop()
