import { createServer } from 'node:http'
import { operations } from '@remit/service/operations/index'
import { afterAll, describe, expect, test } from 'vitest'
import { protocolOn } from '../support/chain/protocolOn.ts'
import { runBundled } from '../support/programs/program.ts'
import { useBundle } from '../support/programs/useBundle.ts'
import { exchange } from '../support/service/exchange.ts'
import { indexed } from '../support/service/indexed.ts'
import { useTestService } from '../support/service/testService.ts'
import { useSubgraphGround } from './subgraphGround.ts'

const { chain, graph } = await useSubgraphGround()
// Somebody has to be due.
const protocol = protocolOn(chain)
await protocol.join(await protocol.create(), chain.wallets.bob)
// More than a page of the free lane has.
for (let times = 0; times < 9; times++) await protocol.create()
await chain.keep()
const byLogs = await useTestService([chain])
const bySubgraph = await useTestService([chain], {
  [`INDEX_${chain.chainId}`]: 'subgraph',
  [`SUBGRAPH_URL_${chain.chainId}`]: graph.url,
  [`SUBGRAPH_POLL_SECONDS_${chain.chainId}`]: '1',
})
const program = await useBundle('packages/service/src/main.ts')

/** The second service, of whose answers one is altered. */
let alter = (_path: string, answer: string) => answer
const altered = createServer(async (request, response) => {
  const path = request.url ?? ''
  const { status, text } = await exchange(`${bySubgraph.url}${path}`)
  response.writeHead(status, { 'content-type': 'application/json' }).end(alter(path, text))
})
await new Promise<void>((resolve) => altered.listen(0, '127.0.0.1', resolve))
afterAll(() => {
  altered.closeAllConnections()
  altered.close()
})
const address = altered.address()
const alteredUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`

async function compare(args: readonly string[]) {
  const child = runBundled(program, ['subgraph-compare', '--chain', `${chain.chainId}`, ...args])
  const code = await child.ends(60_000)
  return { code, output: child.output() }
}

async function compareAltered(change: typeof alter) {
  await indexed(byLogs, chain)
  await indexed(bySubgraph, chain)
  alter = change
  return compare([byLogs.url, alteredUrl])
}

describe('npm run subgraph-compare', () => {
  test('finds the history of a service by logs and of one by a subgraph equal, every list to its end', async () => {
    const asked: string[] = []
    const { code, output } = await compareAltered((path, answer) => {
      asked.push(path)
      return answer
    })
    expect(output).toMatch(/^100 answers are equal, \d+ or more are left\.$/m)
    expect(output).toMatch(/^All \d+ answers are equal\.$/m)
    expect(code).toBe(0)
    const kinds = asked.map((path) =>
      path.replaceAll(/0x\w+/g, ':hex').replaceAll(/\/\d+/g, '/:number').replace(/\?.*/, ''),
    )
    const reads = operations.flatMap(({ effect, onChain, rest }) => {
      // Members' rows tell what the last sweep saw of their charges to come, too. What is kept is no history.
      const isForecast = /[/](outlook|members|rescues)$/.test(rest?.path ?? '')
      if (rest?.method !== 'GET' || effect !== 'read' || !onChain || isForecast) return []
      return rest.path.replaceAll(/:(id|address|token|txHash)/g, ':hex').replace(':logIndex', ':number')
    })
    expect([...new Set(kinds)].sort()).toEqual(reads.sort())
  })

  test('finds a difference on the last page of a list', async () => {
    const { code, output } = await compareAltered((path, answer) =>
      path.startsWith('/subscriptions?') && path.includes('after=')
        ? answer.replace('"cancelled":false,', '"cancelled":true,')
        : answer,
    )
    expect(code).toBe(1)
    expect(output).toMatch(/GET \/subscriptions\?.*after=.*, at subscriptions\[\d\]\.cancelled:/)
  })

  test('tells the first difference by its question and its place, with both values', async () => {
    const { code, output } = await compareAltered((path, answer) =>
      path.includes('/history?') ? answer.replace('"amount":"12.5"', '"amount":"12.4"') : answer,
    )
    expect(code).toBe(1)
    expect(output).toMatch(
      /^They differ: GET \/subscriptions\/0x\w{64}\/history\?first=100&untilBlock=\d+, at /m,
    )
    expect(output).toMatch(/at events\[\d+\]\.amount:\n {2}the first: {2}"12\.5"\n {2}the second: "12\.4"\n$/)
  })

  test.each<[string, typeof alter]>([
    [
      'an event of the log that is missing',
      (path, answer) => {
        if (!path.startsWith('/events')) return answer
        const { events, ...rest }: { events: unknown[] } = JSON.parse(answer)
        return JSON.stringify({ ...rest, events: events.slice(0, -1) })
      },
    ],
    [
      'a receipt of another payer',
      (path, answer) =>
        path.startsWith('/payments/') ? answer.replace('"subscriber":"0x', '"subscriber":"0X') : answer,
    ],
    [
      'a due day without its subscriptions',
      (path, answer) =>
        path.includes('/due?')
          ? answer.replaceAll(/"subscriptionIds":\[[^\]]+\]/g, '"subscriptionIds":[]')
          : answer,
    ],
    [
      'a membership that is in order on one side only',
      (_path, answer) => answer.replace('"state":"dropped"', '"state":"active"'),
    ],
  ])('finds %s', async (_, change) => {
    expect(await compareAltered(change)).toMatchObject({ code: 1 })
  })

  test('compares nothing where a service does not answer, or has not all of its index', async () => {
    const away = await compare([byLogs.url, 'http://127.0.0.1:9/secret'])
    expect(away).toMatchObject({
      code: 2,
      output: expect.stringMatching(/the second service \(127\.0\.0\.1:9\) cannot be reached/),
    })
    expect(away.output).not.toContain('secret')
    const failing = await compareAltered((path, answer) =>
      path.includes('/activity') ? answer.replace(/}$/, ',"error":"The index fails."}') : answer,
    )
    expect(failing).toMatchObject({
      code: 2,
      output: expect.stringContaining('answers without all of its index'),
    })
  })

  test.each([[[]], [['http://one.example']], [['ftp://a.example', 'http://b.example']], [['--cain', '1']]])(
    'asks nobody for the arguments %j',
    async (args) => {
      expect((await compare(args)).code).toBe(2)
    },
  )
})
