/** `npx tsx examples/agent/errand.ts "green beans" 25`: a plan by its name, at most 25 USDC a month in all. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createClient } from '@remit/client'
import { findDevService } from '@remit/client/development'
import { createWalletClient, getAddress, http, parseUnits } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { Meter } from './Meter.ts'
import { runErrand } from './runErrand.ts'
import { ToolError, Tools } from './Tools.ts'
import { untilCharged } from './untilCharged.ts'

/** What the errand may cost a model: it fails where it costs more. */
const LIMITS = { calls: 5, tokens: 8_000 }
const USDC_DECIMALS = 6

const running = await findDevService({ mcpUrl: process.env.MCP_URL, rpcUrl: process.env.RPC_URL })
const {
  MCP_URL = running?.mcpUrl ?? 'http://127.0.0.1:3000/mcp',
  RPC_URL = running?.rpcUrl ?? 'http://127.0.0.1:8545',
} = process.env
// Of the development chain, where they always have these addresses. They are the agent's own knowledge.
const CHAIN_ID = 31337
const CONTRACT = getAddress('0x5FbDB2315678afecb367f032d93F642f64180aa3')
const USDC = getAddress('0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512')

const [name, mostPerMonth = '25'] = process.argv.slice(2)
const signer = mnemonicToAccount('test test test test test test test test test test test junk', {
  addressIndex: 11,
})
const client = new Client(
  { name: 'remit-example-errand', version: '0.1.0' },
  { versionNegotiation: { mode: 'auto' } },
)
const meter = new Meter(client, LIMITS)
try {
  if (!name) throw new Error('Say which plan: npx tsx examples/agent/errand.ts "green beans" 25')
  const transport = new StreamableHTTPClientTransport(new URL(`${MCP_URL}?tools=essential`))
  await client.connect(transport).catch((cause: unknown) => {
    throw new Error(`No service answers at ${MCP_URL}: run \`npm start\`, or set MCP_URL.`, { cause })
  })
  const remit = createClient({
    url: MCP_URL.replace(/\/mcp$/, ''),
    contracts: { [CHAIN_ID]: CONTRACT },
    budget: [{ token: USDC, perMonthRaw: parseUnits(mostPerMonth, USDC_DECIMALS) }],
  })
  await runErrand(
    {
      tools: new Tools(meter),
      wallet: createWalletClient({ account: signer, transport: http(RPC_URL) }),
      address: signer.address,
      chainId: CHAIN_ID,
      contract: CONTRACT,
      remit,
      untilCharged: (plan) => untilCharged(plan, { rpcUrl: RPC_URL, contract: CONTRACT }),
      say: console.log,
    },
    { name, symbol: 'USDC', frequency: 'weekly', mostPerPeriod: mostPerMonth },
  )
  console.log(meter.table())
  if (!meter.isWithin) throw new Error('The errand cost a model more than it may.')
} catch (error) {
  if (error instanceof ToolError) console.error(`${error.code}: ${error.message}`)
  else console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  await client.close()
}
