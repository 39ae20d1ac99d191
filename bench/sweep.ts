import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Address,
  createPublicClient,
  encodeAbiParameters,
  type Hex,
  http,
  keccak256,
  numberToHex,
  pad,
  stringToHex,
} from 'viem'
import { startDevnet } from '../devnet/startDevnet.ts'
import { Chains } from '../src/chain/Chains.ts'
import { ChainEntry } from '../src/chain/registry.ts'
import { createProjection } from '../src/history/projection/createProjection.ts'
import { followStep } from '../src/history/projection/verdicts/followStep.ts'
import { verdictStore } from '../src/history/projection/verdicts/sweeping.ts'
import { Sweep } from '../src/history/sweep/Sweep.ts'
import { openStore } from '../src/store/openStore.ts'
import { table } from './print.ts'

// What it takes to read a verdict on every membership once: questions to the node, pages and seconds. The payers have
// their money by the token's storage, and are members in the store alone: what a node is asked is the same.

const SIZES = (process.argv[2] ?? '1000,50000').split(',').map(Number)
const COMPUTED = 1_000_000
/** Seven days, three, one and six hours before a due day, and after the charge. */
const READINGS_A_PERIOD = 5
const ROWS_IN_STATEMENT = 1_000
const LEASE_MS = 3_600_000
const PLENTY = numberToHex(10n ** 24n, { size: 32 })

const quiet = { info() {}, warn() {}, error() {} }
const devnet = await startDevnet({ port: 0 })
const client = createPublicClient({ transport: http(devnet.url, { batch: { batchSize: 500 } }) })
const { chainId, contractAddress } = devnet
const token = devnet.tokens.usdc
const slotOf = (key: Address, slot: bigint): Hex =>
  keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [key, slot]))
const payerOf = (index: number): Address => pad(numberToHex(0xbe_0000_0000n + BigInt(index)), { size: 20 })

async function equip(from: number, to: number): Promise<void> {
  const calls = []
  for (let index = from; index < to; index += 1) {
    const payer = payerOf(index)
    const slots = [slotOf(payer, 0n), slotOf(contractAddress, BigInt(slotOf(payer, 1n)))]
    for (const slot of slots) calls.push({ method: 'anvil_setStorageAt', params: [token, slot, PLENTY] })
  }
  const body = JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call })))
  const response = await fetch(devnet.url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body,
  })
  if (response.status !== 200) throw new Error(`the chain answers ${response.status}`)
  await response.arrayBuffer()
}

async function measure(size: number, folder: string) {
  for (let from = 0; from < size; from += ROWS_IN_STATEMENT)
    await equip(from, Math.min(size, from + ROWS_IN_STATEMENT))
  await fetch(devnet.url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'evm_mine', params: [] }),
  })
  const head = await client.getBlock()
  const block = {
    number: Number(head.number),
    hash: head.hash,
    parentHash: head.parentHash,
    timestamp: Number(head.timestamp),
  }
  const store = await openStore(`file:${join(folder, `${size}.db`)}`)
  const projection = createProjection(store)
  const identity = { chainId, genesisHash: head.hash, contract: contractAddress, firstBlock: 1 }
  const lease = await projection.take(identity, 'rpc', async () => block, 'bench', LEASE_MS)
  if (lease === undefined) throw new Error('somebody else holds the lease')
  const id = keccak256(stringToHex('the subscription'))
  await store.transaction(async (db) => {
    const terms = { provider: payerOf(9_999_999), token: token.toLowerCase(), amount: `${10n ** 18n}` }
    const created = { created_at: 1, created_block: 1, created_log_index: 1, transaction_hash: id }
    const rest = { frequency: 1, due_day: 9, cancelled: 0, cancelled_block: null }
    await db
      .insertInto('subscriptions')
      .values({ chain_id: chainId, id, ...terms, ...created, ...rest })
      .execute()
  })
  for (let from = 0; from < size; from += ROWS_IN_STATEMENT) {
    const keys = Array.from({ length: Math.min(ROWS_IN_STATEMENT, size - from) }, (_, index) => ({
      subscription_id: id,
      subscriber: payerOf(from + index).toLowerCase(),
    }))
    await store.transaction(async (db) => {
      const rows = keys.map((key, index) => ({
        chain_id: chainId,
        ...key,
        status: 0,
        first_block: 1,
        first_log_index: from + index,
      }))
      await db.insertInto('memberships').values(rows).execute()
      await followStep(db, chainId, {
        begun: keys,
        ended: [],
        cancelled: [],
        subscribers: [],
      })
    })
  }
  const entry = { chainId, name: 'bench', contractAddress, rpcUrls: [devnet.url], tokens: [token] }
  const chains = new Chains({ entries: [ChainEntry.parse(entry)], defaultChainId: chainId, log: quiet })
  const sweep = new Sweep({
    chainId,
    chains,
    reader: projection,
    store: verdictStore(store),
    isSynced: () => true,
    requestsPerHour: 1_000_000,
    log: quiet,
  })
  const { signal } = new AbortController()
  const begun = performance.now()
  let pages = 0
  while (await sweep.sweepPage(lease, signal)) pages += 1
  const seconds = (performance.now() - begun) / 1_000
  const { requestsLastHour: questions } = sweep.health()
  const unread = await projection.snapshot(chainId, (queries) => queries.verdictAges({ subscriptionId: id }))
  if (unread?.rows.unread !== 0) throw new Error(`unread: ${unread?.rows.unread}`)
  chains.stop()
  await store.close()
  return { size, pages, questions, seconds }
}

const folder = mkdtempSync(join(tmpdir(), 'remit-bench-'))
try {
  const measured = []
  for (const size of SIZES) measured.push(await measure(size, folder))
  const last = measured.at(-1)
  if (last === undefined) throw new Error('no size is given')
  const times = COMPUTED / last.size
  const computed = {
    size: COMPUTED,
    pages: Math.ceil(last.pages * times),
    questions: Math.ceil(last.questions * times),
    seconds: last.seconds * times,
  }
  const rows = [...measured, computed].map(({ size, pages, questions, seconds }) => [
    `${size.toLocaleString('en')}${size === COMPUTED ? ' (computed)' : ''}`,
    pages.toLocaleString('en'),
    questions.toLocaleString('en'),
    seconds.toFixed(1),
    Math.ceil((questions * READINGS_A_PERIOD) / (30 * 24)).toLocaleString('en'),
  ])
  const heads = ['memberships', 'pages', 'questions', 'seconds', 'questions an hour']
  process.stdout.write(`${table(heads, rows)}\n`)
} finally {
  rmSync(folder, { recursive: true, force: true })
  await devnet.stop()
}
