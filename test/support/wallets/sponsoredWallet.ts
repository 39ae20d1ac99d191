import {
  type Address,
  createPublicClient,
  encodeFunctionData,
  type Hex,
  http,
  type LocalAccount,
  numberToHex,
  parseAbi,
} from 'viem'
import {
  createBundlerClient,
  createPaymasterClient,
  entryPoint07Abi,
  entryPoint07Address,
  getUserOperationHash,
  toSmartAccount,
} from 'viem/account-abstraction'
import { foundry } from 'viem/chains'
import * as z from 'zod'
import { type TestWallet, type TestWalletRequest, walletProvider } from './walletProvider.ts'

const accountAbi = parseAbi([
  'function execute(address dest, uint256 value, bytes func)',
  'function executeBatch(address[] dest, uint256[] value, bytes[] func)',
])
const factoryAbi = parseAbi([
  'function createAccount(address owner, uint256 salt) returns (address)',
  'function getAddress(address owner, uint256 salt) view returns (address)',
])

const SendCalls = z.object({
  calls: z.array(
    z.object({
      to: z.custom<Address>(),
      data: z.custom<Hex>().default('0x'),
      value: z.string().default('0x0').transform(BigInt),
    }),
  ),
  capabilities: z.object({ paymasterService: z.object({ url: z.string() }).optional() }).optional(),
})

/** What eth_signTypedData_v4 is given, as text. */
const TypedDataText = z
  .string()
  .transform((text): unknown => JSON.parse(text))
  .pipe(
    z.object({
      domain: z.record(z.string(), z.unknown()),
      types: z.record(z.string(), z.array(z.object({ name: z.string(), type: z.string() }))),
      primaryType: z.string(),
      message: z.record(z.string(), z.unknown()),
    }),
  )

export interface SponsoredWalletOptions {
  readonly rpcUrl: string
  readonly chainId: number
  readonly bundlerUrl: string
  /** Of SimpleAccount 0.7. */
  readonly factory: Address
}

/** A smart wallet by ERC-4337, with what tests need of its inside. */
export interface SponsoredWallet extends TestWallet {
  readonly address: Address
  readonly account: SimpleAccount
  readonly bundler: ReturnType<typeof createBundlerClient>
}

export type SimpleAccount = Awaited<ReturnType<typeof simpleAccount>>

/** The account of a key, at EntryPoint 0.7. Its contract is deployed with its first operation. */
async function simpleAccount(
  { rpcUrl, factory }: Pick<SponsoredWalletOptions, 'rpcUrl' | 'factory'>,
  owner: LocalAccount,
) {
  const client = createPublicClient({ chain: foundry, transport: http(rpcUrl), cacheTime: 0 })
  const args = [owner.address, 0n] as const
  const sender = await client.readContract({
    address: factory,
    abi: factoryAbi,
    functionName: 'getAddress',
    args,
  })
  return toSmartAccount({
    client,
    entryPoint: { abi: entryPoint07Abi, address: entryPoint07Address, version: '0.7' },
    getAddress: async () => sender,
    getFactoryArgs: async () => ({
      factory,
      factoryData: encodeFunctionData({ abi: factoryAbi, functionName: 'createAccount', args }),
    }),
    async encodeCalls(calls) {
      const [only, ...more] = calls
      if (only !== undefined && more.length === 0) {
        const { to, value = 0n, data = '0x' } = only
        return encodeFunctionData({ abi: accountAbi, functionName: 'execute', args: [to, value, data] })
      }
      const columns = [
        calls.map(({ to }) => to),
        calls.map(({ value = 0n }) => value),
        calls.map(({ data = '0x' }) => data),
      ] as const
      return encodeFunctionData({ abi: accountAbi, functionName: 'executeBatch', args: columns })
    },
    getStubSignature: () => owner.signMessage({ message: 'an estimate' }),
    signMessage: (asked) => owner.signMessage(asked),
    signTypedData: (asked) => owner.signTypedData(asked),
    signUserOperation({ chainId = foundry.id, ...operation }) {
      const hash = getUserOperationHash({
        chainId,
        entryPointAddress: entryPoint07Address,
        entryPointVersion: '0.7',
        userOperation: { ...operation, sender },
      })
      return owner.signMessage({ message: { raw: hash } })
    },
  })
}

/**
 * A smart wallet that has `wallet_sendCalls` and supports `paymasterService`: it asks the paymaster that it is given, and has a
 * bundler carry the operation.
 */
export async function sponsoredWallet(
  owner: LocalAccount,
  options: SponsoredWalletOptions,
): Promise<SponsoredWallet> {
  const { rpcUrl, bundlerUrl, chainId } = options
  const account = await simpleAccount(options, owner)
  const { address } = account
  const plain = walletProvider({ rpcUrl, account: address })
  const bundler = createBundlerClient({
    client: createPublicClient({ chain: foundry, transport: http(rpcUrl), cacheTime: 0 }),
    transport: http(bundlerUrl, { retryCount: 0 }),
    pollingInterval: 100,
  })

  async function sendCalls(params: unknown): Promise<Hex> {
    const { calls, capabilities } = SendCalls.parse(params)
    const url = capabilities?.paymasterService?.url
    const paymaster =
      url === undefined
        ? {}
        : { paymaster: createPaymasterClient({ transport: http(url, { retryCount: 0 }) }) }
    return bundler.sendUserOperation({ account, calls, ...paymaster })
  }

  async function statusOf(hash: Hex): Promise<object> {
    const found = await bundler.getUserOperationReceipt({ hash }).catch(() => undefined)
    const whole = { version: '2.0.0', id: hash, chainId: numberToHex(chainId), atomic: true }
    if (found === undefined) return { ...whole, status: 100 }
    const { blockHash, blockNumber, gasUsed, transactionHash } = found.receipt
    const receipt = {
      logs: found.logs.map(({ address, data, topics }) => ({ address, data, topics })),
      status: found.success ? '0x1' : '0x0',
      blockHash,
      blockNumber: numberToHex(blockNumber),
      gasUsed: numberToHex(gasUsed),
      transactionHash,
    }
    return { ...whole, status: found.success ? 200 : 500, receipts: [receipt] }
  }

  return {
    ...plain,
    address,
    account,
    bundler,
    async request(request: TestWalletRequest) {
      const [first]: readonly unknown[] = request.params ?? []
      switch (request.method) {
        case 'wallet_sendCalls':
          plain.requests.push(request)
          return { id: await sendCalls(first) }
        case 'eth_signTypedData_v4':
          plain.requests.push(request)
          return account.signTypedData(TypedDataText.parse(request.params?.[1]))
        case 'wallet_getCallsStatus':
          return statusOf(z.custom<Hex>().parse(first))
        case 'wallet_getCapabilities':
          return {
            [numberToHex(chainId)]: {
              atomic: { status: 'supported' },
              paymasterService: { supported: true },
            },
          }
        default:
          return plain.request(request)
      }
    },
  }
}
