/** `npx tsx examples/agent/main.ts "keep me subscribed to the cheapest weekly plan in USDC, at most 15 USDC a week"` */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { findDevService } from '@remit/client/development'
import { createWalletClient, getAddress, http, isHex } from 'viem'
import { mnemonicToAccount, privateKeyToAccount } from 'viem/accounts'
import { parseGoal } from './goal.ts'
import { keepSubscribed } from './keepSubscribed.ts'
import { ToolError, Tools } from './Tools.ts'

// The `npm start` of this machine, whatever its ports, unless these name another one.
const running = await findDevService({ mcpUrl: process.env.MCP_URL, rpcUrl: process.env.RPC_URL })

const {
  MCP_URL = running?.mcpUrl ?? 'http://127.0.0.1:3000/mcp',
  RPC_URL = running?.rpcUrl ?? 'http://127.0.0.1:8545',
  CHAIN_ID = '31337',
  // Of the development chain, where it always has this address.
  CONTRACT = '0x5FbDB2315678afecb367f032d93F642f64180aa3',
  PRIVATE_KEY,
  API_KEY,
} = process.env

function account() {
  if (isHex(PRIVATE_KEY)) return privateKeyToAccount(PRIVATE_KEY)
  // The development chain's newcomer, whose key is public.
  if (CHAIN_ID === '31337') {
    return mnemonicToAccount('test test test test test test test test test test test junk', {
      addressIndex: 11,
    })
  }
  throw new Error('Set PRIVATE_KEY to the key of the wallet that shall pay.')
}

const client = new Client(
  { name: 'remit-example-agent', version: '0.1.0' },
  { versionNegotiation: { mode: 'auto' } },
)
try {
  const goal = parseGoal(process.argv.slice(2).join(' '))
  const signer = account()
  const headers: Record<string, string> = API_KEY ? { Authorization: `Bearer ${API_KEY}` } : {}
  // A program may take the whole list; a model would read the short one, which is the default.
  const url = new URL(`${MCP_URL}?tools=all`)
  const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers } })
  await client.connect(transport).catch((cause: unknown) => {
    throw new Error(`No service answers at ${MCP_URL}: run \`npm start\`, or set MCP_URL.`, { cause })
  })
  await keepSubscribed(
    {
      tools: new Tools(client),
      wallet: createWalletClient({ account: signer, transport: http(RPC_URL) }),
      address: signer.address,
      chainId: Number(CHAIN_ID),
      contract: getAddress(CONTRACT),
      say: console.log,
    },
    goal,
  )
} catch (error) {
  if (error instanceof ToolError) console.error(`${error.code}: ${error.message}`)
  else console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  await client.close()
}
