import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { protocolOn } from '../support/chain/protocolOn.ts'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { findBuilt } from '../support/programs/installed.ts'
import { packedClient } from '../support/programs/useClientPackage.ts'
import { useWorker, workerdIsInstalled } from './startEdge.ts'

const BUN = join(import.meta.dirname, 'node_modules/@oven/bun-linux-x64/bin/bun')
const bun = findBuilt('Bun (`npm ci --ignore-scripts` in test/edge/)', BUN)

const ASK = `import { createClient } from './client.js'

async function ask({ NODE, CONTRACT, ID, FROM }) {
  const client = createClient({ node: NODE, contracts: { 31337: CONTRACT } })
  const { subscription } = await client.getSubscription({ id: ID })
  const { unsignedTransactions } = await client.subscribe({ id: ID }).prepare(FROM)
  const none = await client.searchSubscriptions().catch((error) => error.name)
  return JSON.stringify({ id: subscription.id, calls: unsignedTransactions.map(({ to }) => to), none })
}
`
const IN_WORKER = 'export default { fetch: async (_, variables) => new Response(await ask(variables)) }\n'
const IN_PROGRAM = 'console.log(await ask(process.env))\n'

describe('the client over a node of one’s own reads, prepares with a proof, and says what needs a service', async () => {
  const chain = await useTestChain()
  const protocol = protocolOn(chain)
  const { alice } = chain.wallets
  const { usdc } = chain.tokens
  const weekly = await protocol.create()
  await protocol.fund(usdc, alice, { balance: 1_000_000_000n })
  await chain.keep()
  const variables = { NODE: chain.url, CONTRACT: chain.contract, ID: weekly.id, FROM: alice }
  const answer = { id: weekly.id, calls: [usdc, chain.contract], none: 'NeedsServiceError' }
  const packed = await packedClient()

  describe.skipIf(!workerdIsInstalled)('in workerd', async () => {
    const file = (name: string) => readFile(join(packed, name), 'utf8')
    const scripts = { 'client.js': await file('client.js'), 'engine.js': await file('engine.js') }
    const worker = workerdIsInstalled
      ? await useWorker({ 'main.js': `${ASK}${IN_WORKER}`, ...scripts }, variables)
      : undefined

    it('as a worker', async () => {
      const response = await fetch(worker?.url ?? '')
      expect(await response.json()).toEqual(answer)
    })
  })

  it.skipIf(bun === undefined)('in Bun', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'remit-bun-'))
    await cp(packed, folder, { recursive: true })
    await writeFile(join(folder, 'main.mjs'), `${ASK}${IN_PROGRAM}`)
    const { stdout } = await promisify(execFile)(BUN, [join(folder, 'main.mjs')], { env: variables })
    expect(JSON.parse(stdout)).toEqual(answer)
  })
})
