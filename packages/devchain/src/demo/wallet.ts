import {
  type Address,
  createTestClient,
  createWalletClient,
  type Hex,
  http,
  parseAbi,
  parseEther,
  publicActions,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type { Prepared } from './answers.ts'
import { expect, say } from './api.ts'

const mintAbi = parseAbi(['function mint(address to, uint256 amount)'])
const balanceAbi = parseAbi(['function balanceOf(address account) view returns (uint256)'])

/** A wallet of the demo. It signs what the service prepared, and sends it to the chain itself. */
export class DemoWallet {
  readonly name: string
  readonly account = privateKeyToAccount(generatePrivateKey())
  readonly #rpcUrl: string

  constructor(name: string, rpcUrl: string) {
    this.name = name
    this.#rpcUrl = rpcUrl
  }

  get address(): Address {
    return this.account.address
  }

  /** Gives it ether, and tokens with the test token's public mint function. */
  async fund(token?: Address, amountRaw = 0n): Promise<void> {
    const chain = createTestClient({ mode: 'anvil', transport: http(this.#rpcUrl) }).extend(publicActions)
    await chain.setBalance({ address: this.address, value: parseEther('10') })
    if (token === undefined) return
    const wallet = createWalletClient({ account: this.account, transport: http(this.#rpcUrl) })
    const hash = await wallet.writeContract({
      address: token,
      abi: mintAbi,
      functionName: 'mint',
      args: [this.address, amountRaw],
      chain: null,
    })
    await chain.waitForTransactionReceipt({ hash, pollingInterval: 50 })
  }

  async tokenBalance(token: Address): Promise<bigint> {
    const chain = createTestClient({ mode: 'anvil', transport: http(this.#rpcUrl) }).extend(publicActions)
    return chain.readContract({
      address: token,
      abi: balanceAbi,
      functionName: 'balanceOf',
      args: [this.address],
    })
  }

  /** Signs and sends prepared transactions one by one, as a wallet without wallet_sendCalls does. */
  async send(prepared: Prepared): Promise<Hex[]> {
    const wallet = createWalletClient({ account: this.account, transport: http(this.#rpcUrl) })
    const chain = createTestClient({ mode: 'anvil', transport: http(this.#rpcUrl) }).extend(publicActions)
    const hashes: Hex[] = []
    for (const [index, transaction] of prepared.unsignedTransactions.entries()) {
      expect(transaction.from === this.address, `transaction ${index + 1} is for ${this.name} to sign`)
      const gas = prepared.gasEstimates[index]
      const hash = await wallet.sendTransaction({
        to: transaction.to,
        data: transaction.data,
        value: BigInt(transaction.value),
        chain: null,
        ...(gas === undefined
          ? {}
          : {
              gas: BigInt(gas.gasLimit),
              maxFeePerGas: BigInt(gas.maxFeePerGas),
              maxPriorityFeePerGas: BigInt(gas.maxPriorityFeePerGas),
            }),
      })
      say(`   ${this.name} signed and sent ${hash}`)
      await chain.waitForTransactionReceipt({ hash, pollingInterval: 50 })
      hashes.push(hash)
    }
    return hashes
  }
}
