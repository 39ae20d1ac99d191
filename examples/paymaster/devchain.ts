/**
 * Puts everything that sponsoring takes beside a running `npm start`: EntryPoint 0.7, a factory of smart accounts, a
 * paymaster with a deposit, a bundler (alto), and the paymaster service.
 */
import { spawn } from 'node:child_process'
import { mkdtemp, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@remit/client'
import { findDevService } from '@remit/client/development'
import {
  type Abi,
  type Address,
  concatHex,
  createTestClient,
  getAddress,
  type Hex,
  http,
  isHex,
  parseAbi,
  parseEther,
  publicActions,
  walletActions,
} from 'viem'
import { entryPoint07Abi, entryPoint07Address } from 'viem/account-abstraction'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import * as z from 'zod'
import { startPaymaster } from './startPaymaster.ts'

const { REMIT_URL, RPC_URL, PLANS, BUNDLER_PORT = '4337', PORT = '4100' } = process.env
const { BUDGET_WEI = String(parseEther('0.1')), MOST_WEI_PER_OPERATION = String(parseEther('0.02')) } =
  process.env
const running = await findDevService({ url: REMIT_URL, rpcUrl: RPC_URL })
const remitUrl = REMIT_URL ?? running?.url ?? 'http://127.0.0.1:3000'
const rpcUrl = RPC_URL ?? running?.rpcUrl ?? 'http://127.0.0.1:8545'

const chain = createTestClient({ chain: foundry, mode: 'anvil', transport: http(rpcUrl) })
  .extend(publicActions)
  .extend(walletActions)
if ((await chain.getChainId()) !== foundry.id)
  throw new Error(`${rpcUrl} is no development chain: nothing was done.`)

const client = createClient({ url: remitUrl, chainId: foundry.id })
const { contractAddress } = await client.getProtocolState()
const plans =
  PLANS?.toLowerCase().split(',') ??
  (await client.searchSubscriptions({ first: 10 })).subscriptions.map(({ id }) => id.toLowerCase())
/** Keys of this run alone. What they have is ether of the development chain. */
const [owner, executor, refiller] = [generatePrivateKey(), generatePrivateKey(), generatePrivateKey()]
const account = privateKeyToAccount(owner)
for (const key of [owner, executor, refiller]) {
  await chain.setBalance({ address: privateKeyToAccount(key).address, value: parseEther('100') })
}

/** Whatever address is deployed from: it is on every chain, and on anvil from the start. */
const DEPLOYER = '0x4e59b44847b379578588920ca78fbf26c0b4956c'
/** With this salt, EntryPoint 0.7 gets the address that it has everywhere. */
const ENTRY_POINT_SALT = '0x90d8084deab30c2a37c45e8d47f49f2f7965183cb6990a98943ef94940681de3'

const packages = createRequire(import.meta.url)
const Artifact = z.object({
  // Safe: the file is of a package with a pinned version.
  abi: z.custom<Abi>(Array.isArray),
  bytecode: z.custom<Hex>((value) => isHex(value)),
})
async function artifact(name: string): Promise<z.output<typeof Artifact>> {
  const path = packages.resolve(`@account-abstraction/contracts/artifacts/${name}.json`)
  return Artifact.parse(JSON.parse(await readFile(path, 'utf8')))
}

async function mined(hash: Hex) {
  const receipt = await chain.waitForTransactionReceipt({ hash })
  if (receipt.status !== 'success') throw new Error(`${hash} has failed`)
  return receipt
}

async function deploy(name: string, args: readonly unknown[]): Promise<Address> {
  const { contractAddress } = await mined(
    await chain.deployContract({ account, ...(await artifact(name)), args }),
  )
  if (!contractAddress) throw new Error(`${name} was not deployed`)
  return getAddress(contractAddress)
}

if ((await chain.getCode({ address: entryPoint07Address })) === undefined) {
  const { bytecode } = await artifact('EntryPoint')
  await mined(
    await chain.sendTransaction({ account, to: DEPLOYER, data: concatHex([ENTRY_POINT_SALT, bytecode]) }),
  )
}
const factory = await deploy('SimpleAccountFactory', [entryPoint07Address])
const paymaster = await deploy('VerifyingPaymaster', [entryPoint07Address, account.address])
const entryPoint = { address: entryPoint07Address, abi: entryPoint07Abi, account }
await mined(
  await chain.writeContract({
    ...entryPoint,
    functionName: 'depositTo',
    args: [paymaster],
    value: parseEther('10'),
  }),
)
const sample = {
  address: factory,
  abi: parseAbi([
    'function createAccount(address owner, uint256 salt) returns (address)',
    'function getAddress(address owner, uint256 salt) view returns (address)',
  ]),
  args: [account.address, 0n],
  account,
} as const
await mined(await chain.writeContract({ ...sample, functionName: 'createAccount' }))
const sampleAccount = await chain.readContract({ ...sample, functionName: 'getAddress' })

const manifest = packages.resolve('@pimlico/alto').replace(/(@pimlico\/alto)\/.*$/, '$1/package.json')
const bundlerUrl = `http://127.0.0.1:${BUNDLER_PORT}`
const bundler = spawn(
  process.execPath,
  [
    join(dirname(manifest), 'esm/cli/alto.js'),
    'run',
    ...['--rpc-url', rpcUrl, '--port', BUNDLER_PORT, '--entrypoints', entryPoint07Address],
    ...['--executor-private-keys', executor, '--utility-private-key', refiller],
    // Its rules for operations of strangers take a node that traces.
    ...['--safe-mode', 'false'],
    // It compares with the clock of this machine. A development chain has another one.
    ...['--expiration-check', 'false'],
    ...['--enable-cors', 'true', '--log-level', 'error'],
  ],
  { stdio: ['ignore', 'ignore', 'inherit'] },
)
process.on('exit', () => bundler.kill())
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(0))
bundler.on('exit', () => process.exit(1))
for (;;) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_supportedEntryPoints', params: [] })
  const headers = { 'Content-Type': 'application/json' }
  const answer = await fetch(bundlerUrl, { method: 'POST', headers, body }).catch(() => undefined)
  if (answer?.ok) break
  await sleep(200)
}

const url = await startPaymaster({
  rpcUrl,
  contract: contractAddress,
  plans: plans.filter((id) => isHex(id)),
  budgetWei: BigInt(BUDGET_WEI),
  mostWeiPerOperation: BigInt(MOST_WEI_PER_OPERATION),
  paymaster,
  factory,
  sampleAccount,
  signerKey: owner,
  ledger: join(await mkdtemp(join(tmpdir(), 'remit-paymaster-')), 'ledger.jsonl'),
  name: 'The development chain',
  port: Number(PORT),
})
console.log(`Accounts are deployed by ${factory}, for EntryPoint ${entryPoint07Address}.`)
console.log(`The bundler answers at ${bundlerUrl}`)
console.log(`The paymaster answers at ${url} for ${plans.length} plans.`)
