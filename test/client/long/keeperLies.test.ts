import { readFile } from 'node:fs/promises'
import { parseEther } from 'viem'
import { expect, it } from 'vitest'
import { revertTo } from '../../support/chain/revertTo.ts'
import { DOES_NOT_PAY, type KeeperRun, PAYS, useKeeperGround } from '../keeperGround.ts'
import { COSTS, type Cost, liesOn } from '../keeperLies.ts'

const MAX_FEE = '0.001'

const { chain, keep, faulty, proxy } = await useKeeperGround([3])
const LIES = liesOn(chain.tokens.dai)
const measured = new Map<string, readonly [simulating: Cost, trusting: Cost]>()

/** The command with a backlog that pays, and then with one that does not. */
async function bothWays(args: readonly string[]): Promise<[pays: KeeperRun, doesNotPay: KeeperRun]> {
  const runs: KeeperRun[] = []
  for (const prices of [PAYS, DOES_NOT_PAY]) {
    const id = await chain.client.snapshot()
    runs.push(await keep([...args, ...prices, '--max-fee', MAX_FEE]))
    await revertTo(chain.client, id)
  }
  const [pays, doesNotPay] = runs
  if (pays === undefined || doesNotPay === undefined) throw new Error('it did not run')
  return [pays, doesNotPay]
}

/** What a lie cost, by what was really sent and paid. Throws where it is none of the costs that the table knows. */
function costOf([pays, doesNotPay]: [KeeperRun, KeeperRun]): Cost {
  const said = `${pays.output}\n${doesNotPay.output}`
  const sent = `${pays.sent} ${doesNotPay.sent}`
  for (const { paidWei } of [pays, doesNotPay]) expect(paidWei, said).toBeLessThanOrEqual(parseEther(MAX_FEE))
  if (sent === '1 0') {
    expect([pays.code, pays.earnedRaw, doesNotPay.code], said).toEqual([0, 400_000n, 0])
    return 'nothing'
  }
  if (sent === '1 1') {
    expect(doesNotPay.events, said).toContain('distrusted')
    return 'oneCall'
  }
  expect(sent, said).toBe('0 0')
  if (pays.code === 0 && doesNotPay.code === 0) return 'missed'
  return pays.events.includes('started') ? 'ended' : 'notStarted'
}

it('sends what pays and nothing else, with an honest service', async () => {
  expect(costOf(await bothWays([]))).toBe('nothing')
})

it.each(LIES)('$name', async ({ name, lie, simulating, trusting }) => {
  faulty.tell(lie)
  const withSimulation = costOf(await bothWays([]))
  proxy.fail({
    answer: ({ method }) =>
      method === 'eth_simulateV1' ? { error: { code: -32_601, message: 'method not found' } } : undefined,
  })
  const withTrust = costOf(await bothWays(['--trust-forecast']))
  measured.set(name, [withSimulation, withTrust])
  expect([withSimulation, withTrust]).toEqual([simulating, trusting])
})

it('is all in the table of docs/command-line.md, as it was measured', async () => {
  const rows = LIES.map(({ name }) => {
    const [simulating, trusting] = measured.get(name) ?? []
    if (simulating === undefined || trusting === undefined) throw new Error(`${name} was not measured`)
    return [name, COSTS[simulating], COSTS[trusting]]
  })
  const table = tableOf([
    ['the service says', 'your node has `eth_simulateV1`', '`--trust-forecast`'],
    ...rows,
  ])
  const docs = await readFile(new URL('../../../docs/command-line.md', import.meta.url), 'utf8')
  expect(docs).toContain(table)
})

function tableOf([head = [], ...rows]: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}
