import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import { loadConfig } from '../../src/configuration/loadConfig.ts'
import { DERIVED_TABLES } from '../../src/history/projection/chainTables.ts'
import { createProjection } from '../../src/history/projection/createProjection.ts'
import { exportSnapshot, importSnapshot } from '../../src/indexSnapshot.ts'
import { openStore } from '../../src/store/openStore.ts'
import { randomOf } from '../differential/random.ts'
import { beginBusyLife } from '../support/chain/busyLife.ts'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { projectionRows } from '../support/history/projectionRows.ts'
import { runBundled } from '../support/programs/program.ts'
import { useBundle } from '../support/programs/useBundle.ts'
import { environmentOf, reachesHead, rowsFromScratch, startIndexer } from '../support/service/indexer.ts'
import { postgresIsInstalled, usePostgres } from '../support/stores/postgres.ts'

const chain = await useTestChain({ goesOn: true })
const life = await beginBusyLife(chain, randomOf(11))
for (let block = 0; block < 12; block += 1) await life.mine(5)
await life.nextDay()

const folder = mkdtempSync(join(tmpdir(), 'remit-snapshot-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let files = 0
const freshFile = (end: string) => join(folder, `${++files}.${end}`)
const freshUrl = () => `file:${freshFile('db')}`
const { chainId } = chain
const indexerProgram = await useBundle('src/indexer.ts')
const log = { info() {}, warn() {}, error() {} }
const output = { write() {} }

const filledUrl = freshUrl()
const rows = await rowsFromScratch(chain, filledUrl)
const whole = freshFile('snapshot')
const config = (databaseUrl: string, environment: Record<string, string> = {}) =>
  loadConfig({ ...environmentOf(chain, databaseUrl), ...environment })
await exportSnapshot({ config: config(filledUrl), chainId, file: whole, output })

/** Tables with rows of a chain that are not made of its logs, and the one that says where each index stands. */
const NOT_OF_THE_INDEX = [
  'index_chains',
  'node_limits',
  'sessions',
  'webhook_cursors',
  'webhook_deliveries',
  'webhook_endpoints',
  'webhook_feeds',
]

const Header = z.looseObject({
  block: z.looseObject({ number: z.number() }),
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()), rows: z.number() })),
})
type Row = (string | number | null)[]
const Rows = z.array(z.array(z.union([z.string(), z.number(), z.null()])))

/** A snapshot's parts. */
function read(file: string) {
  const [first = '', ...others] = gunzipSync(readFileSync(file)).toString().trimEnd().split('\n')
  const header = Header.parse(JSON.parse(first))
  const left = Rows.parse(others.map((line) => JSON.parse(line)))
  const tables = header.tables.map((table) => ({ ...table, rows: left.splice(0, table.rows) }))
  return { header, tables }
}

/** The snapshot with a header and rows as somebody has changed them. */
function forged(change: {
  header?: Record<string, unknown>
  table?: string
  rows?: (rows: Row[]) => Row[]
}): string {
  const { header, tables } = read(whole)
  const changed = tables.map((table) =>
    table.name === change.table ? { ...table, rows: change.rows?.(table.rows) ?? table.rows } : table,
  )
  const stated = changed.map((table) => ({ ...table, rows: table.rows.length }))
  const lines = [{ ...header, tables: stated, ...change.header }, ...changed.flatMap((table) => table.rows)]
  const file = freshFile('snapshot')
  writeFileSync(file, gzipSync(lines.map((line) => `${JSON.stringify(line)}\n`).join('')))
  return file
}

function columnOf(table: string, column: string): number {
  const found = read(whole).tables.find(({ name }) => name === table)
  return found?.columns.indexOf(column) ?? -1
}

/** The sentence that an import is refused with, after which the store must hold nothing of it. */
async function refusal(file: string, databaseUrl = freshUrl(), environment = {}): Promise<string> {
  const sentence = await importSnapshot({ config: config(databaseUrl, environment), log, file, output }).then(
    () => 'none',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
  const store = await openStore(databaseUrl)
  const { chain: _, ...left } = await projectionRows(store, chainId)
  expect(Object.values(left).flat()).toEqual([])
  await store.close()
  return sentence
}

describe('a snapshot of the index', () => {
  it.each([
    ['SQLite', async () => freshUrl],
    ...(postgresIsInstalled ? [['Postgres', async () => usePostgresUrl] as const] : []),
  ] as const)('makes the same index in %s, which goes on with the next blocks', async (_, urls) => {
    const url = await (await urls())()
    const file = freshFile('snapshot')
    const exported = runBundled(indexerProgram, ['--export', file], environmentOf(chain, filledUrl))
    expect(await exported.ends(), exported.output()).toBe(0)
    expect(exported.output()).toMatch(/Export of chain 31337: ([\d,]+) of \1 rows, 100 %/)
    const imported = runBundled(indexerProgram, ['--import', file], environmentOf(chain, url))
    expect(await imported.ends(), imported.output()).toBe(0)
    expect(imported.output()).toMatch(
      /stands at block \d+: \d+ rows\. Compared with the chain: \d+ block hashes, \d+ accounts \(as many as the contract has\), and \d+ logs in \d+ blocks of 32 ranges\./,
    )

    const store = await openStore(url)
    onTestFinished(() => store.close())
    expect(await projectionRows(store, chainId)).toEqual(rows)
    await life.mine(5)
    const indexer = await startIndexer(environmentOf(chain, url))
    await reachesHead(store, chain)
    indexer.process.kill('SIGTERM')
    expect(await indexer.ends()).toBe(0)
    expect(await projectionRows(store, chainId)).toEqual(await rowsFromScratch(chain, freshUrl()))
    expect(await refusalOfImport(file, url)).toMatch(/^The index of chain 31337 stands at block \d+ already/)
  })

  it('holds every table of the index', async () => {
    const store = await openStore(filledUrl)
    const tables = await store.db.introspection.getTables()
    await store.close()
    const ofChains = tables.filter(({ columns }) => columns.some(({ name }) => name === 'chain_id'))
    const exported = read(whole).tables.map(({ name }) => name)
    const declared = [...exported, ...DERIVED_TABLES, ...NOT_OF_THE_INDEX]
    expect(ofChains.map(({ name }) => name).toSorted()).toEqual(declared.toSorted())
  })

  it('of another chain, contract, first block or release is refused by name', async () => {
    const other = { header: { chainId: 8453 } }
    expect(await refusal(forged(other))).toBe('The snapshot is of chain 8453, which has no index here.')
    const hash = `0x${'ab'.repeat(32)}`
    expect(await refusal(forged({ header: { genesisHash: hash } }))).toMatch(
      /of another chain 31337: its genesis block/,
    )
    const contract = `0x${'ab'.repeat(20)}`
    expect(await refusal(forged({ header: { contract } }))).toMatch(/its contract is 0xabab/)
    const environment = { START_BLOCK_31337: '3' }
    expect(await refusal(whole, freshUrl(), environment)).toMatch(
      /its first block is \d+, and here it is 3\./,
    )
    expect(await refusal(forged({ header: { version: 2 } }))).toMatch(
      /has format version 2, and this release reads 1/,
    )
    const tables = [...read(whole).header.tables, { name: 'dreams', columns: ['id'], rows: 0 }]
    expect(await refusal(forged({ header: { tables } }))).toMatch(
      /by release \S+, whose index has another table dreams/,
    )
  })

  it('that is no snapshot, is damaged or cut off is refused, and leaves the index empty', async () => {
    const file = freshFile('snapshot')
    expect(await refusal(file)).toMatch(/cannot be read \(ENOENT\)/)
    writeFileSync(file, 'not gzip')
    expect(await refusal(file)).toMatch(/is damaged or cut off \(Z_DATA_ERROR\)/)
    writeFileSync(file, gzipSync('{"some":"file"}\n'))
    expect(await refusal(file)).toBe('The file is no snapshot of an index.')
    writeFileSync(file, readFileSync(whole).subarray(0, -200))
    expect(await refusal(file)).toMatch(/is damaged or cut off \(Z_BUF_ERROR\)/)
    const last = (list: Row[]) => [...list, ...list.slice(-1)]
    expect(await refusal(forged({ table: 'events', rows: last }))).toBe(
      'The snapshot is damaged: it has a row twice.',
    )
    const odd = (list: Row[]) => [...list, list[0]?.map(() => 'x') ?? []]
    expect(await refusal(forged({ table: 'events', rows: odd }))).toMatch(/a row of events cannot be read/)
  })

  it('with rows that are not the chain’s is refused', async () => {
    const amount = columnOf('events', 'amount')
    const dearer = (list: Row[]) => list.map((row) => row.with(amount, '1'))
    expect(await refusal(forged({ table: 'events', rows: dearer }))).toMatch(
      /differs from the logs of chain 31337 in blocks/,
    )
    const due = columnOf('subscriptions', 'due_day')
    const later = (list: Row[]) => list.map((row) => row.with(due, 1 + Number(row[due])))
    expect(await refusal(forged({ table: 'subscriptions', rows: later }))).toMatch(
      /it has \d+ rows in subscriptions/,
    )
    const fewer = (list: Row[]) => list.slice(1)
    expect(await refusal(forged({ table: 'events', rows: fewer }))).toMatch(
      /contradicts itself: the events of providers/,
    )
    expect(await refusal(forged({ table: 'subscriptions', rows: fewer }))).toMatch(
      /the subscriptions by token/,
    )
    const hash = columnOf('index_blocks', 'hash')
    const foreign = (list: Row[]) =>
      list.map((row, at) => (at === 0 ? row.with(hash, `0x${'12'.repeat(32)}`) : row))
    expect(await refusal(forged({ table: 'index_blocks', rows: foreign }))).toMatch(
      /is not of this chain: its block \d+/,
    )
    const ahead = { ...read(whole).header.block, number: 1_000_000 }
    expect(await refusal(forged({ header: { block: ahead } }))).toMatch(/does not hold block 1000000/)
  })

  it('is not served before it was checked, and an import that was cut off can be repeated or emptied', async () => {
    const url = freshUrl()
    const store = await openStore(url)
    onTestFinished(() => store.close())
    await importSnapshot({ config: config(url), log, file: whole, output })
    // As a process that dies in the middle leaves it.
    await store.transaction((db) => db.updateTable('index_chains').set({ source: 'import' }).execute())
    const projection = createProjection(store)
    expect(await projection.indexState(chainId)).toBeUndefined()
    expect(await projection.snapshot(chainId, async () => [])).toBeUndefined()
    const indexer = await startIndexer(environmentOf(chain, url))
    await indexer.says(/Remit indexes/)
    expect(await projection.indexState(chainId)).toBeUndefined()
    await importSnapshot({ config: config(url), log, file: whole, output })
    await reachesHead(store, chain)
    expect(await refusalOfImport(whole, url)).toMatch(/stands at block \d+ already/)
  })
})

const postgres = usePostgres()
const usePostgresUrl = () => postgres.createDatabase()

async function refusalOfImport(file: string, url: string): Promise<string> {
  const program = runBundled(indexerProgram, ['--import', file], environmentOf(chain, url))
  expect(await program.ends()).toBe(1)
  return program.output().trim()
}
