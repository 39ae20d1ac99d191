import { OperationHandler } from '@remit/contracts/OperationHandler'
import { SmartAccount } from '@remit/contracts/SmartAccount'
import { MAX_TRANSACTION_GAS } from '@remit/devchain/testing/chain/block'
import {
  type Address,
  encodeDeployData,
  encodeFunctionData,
  type Hash,
  type HDAccount,
  type Hex,
  parseEventLogs,
  serializeErc6492Signature,
} from 'viem'
import { contractAt } from '../chain/contractAt.ts'
import type { TestChain } from '../chain/useTestChain.ts'
import { type TestWallet, type TestWalletRequest, walletProvider } from './walletProvider.ts'

interface Call {
  readonly to: Address
  readonly data: Hex
}

/** An operation that its account's owner has signed. Anybody may carry it. */
interface Operation {
  readonly sender: Address
  readonly nonce: bigint
  readonly deployFor: Address
  readonly calls: readonly Call[]
  readonly signature: Hex
}

export interface SmartAccountOptions {
  /** Operations of others that go before its own in the same transaction. */
  readonly beside?: () => Promise<readonly Operation[]>
  /** Says of every operation that was carried that it succeeded, as wallets do that look at the transaction alone. */
  readonly sugarcoats?: boolean
}

/** A contract as a wallet: its owner signs operations, and a bundler's transaction to the handler carries them. */
export interface SmartWallet extends TestWallet {
  readonly address: Address
  /** As the owner signs; by ERC-6492 before the contract is deployed. */
  signMessage: HDAccount['signMessage']
  operation(calls: readonly Call[]): Promise<Operation>
  /** Has the operation carried. Resolves with the transaction's hash once it is mined. */
  execute(calls: readonly Call[]): Promise<Hash>
}

export interface SmartAccounts {
  readonly handler: Address
  /** Who pays for the transactions, and is their sender. */
  readonly bundler: Address
  /** The code that a wallet may delegate its account to (EIP-7702). */
  readonly delegate: Address
  /** The account of a key; its contract is deployed with its first operation. */
  of(owner: HDAccount, options?: SmartAccountOptions): Promise<SmartWallet>
  /** A wallet that has delegated its account to such a contract, and signs operations with its own key. */
  delegated(owner: HDAccount, options?: SmartAccountOptions): SmartWallet
}

/** Smart accounts on a test chain, with what carries their operations; `chain.keep()` keeps them for later tests. */
export async function deploySmartAccounts(chain: TestChain): Promise<SmartAccounts> {
  const bundler = chain.wallets.keeper
  const handler = await chain.deploy(OperationHandler.bytecode)
  const zero = `0x${'00'.repeat(20)}` as const
  const delegate = await chain.deploy(
    encodeDeployData({ abi: SmartAccount.abi, bytecode: SmartAccount.bytecode, args: [handler, zero] }),
  )
  const entry = contractAt(chain.client, handler, OperationHandler.abi)

  function walletOf(address: Address, owner: HDAccount, options: SmartAccountOptions = {}): SmartWallet {
    const { beside = async () => [], sugarcoats = false } = options
    const plain = walletProvider({ rpcUrl: chain.url, account: address })
    const isDeployed = async () => (await chain.client.getCode({ address })) !== undefined

    async function operation(calls: readonly Call[]): Promise<Operation> {
      const nonce = await entry.read('nonceOf', [address])
      const unsigned = { sender: address, nonce, deployFor: owner.address, calls, signature: '0x' as const }
      const hash = await entry.read('hashOf', [unsigned])
      return { ...unsigned, signature: await owner.sign({ hash }) }
    }

    async function execute(calls: readonly Call[]): Promise<Hash> {
      const operations = [...(await beside()), await operation(calls)]
      const data = encodeFunctionData({
        abi: OperationHandler.abi,
        functionName: 'handle',
        args: [operations],
      })
      const sent = { account: bundler, to: handler, data, gas: MAX_TRANSACTION_GAS, chain: null }
      const hash = await chain.client.sendTransaction(sent)
      await chain.client.waitForTransactionReceipt({ hash, pollingInterval: 50 })
      return hash
    }

    async function statusOf(hash: Hash) {
      const receipt = await chain.client.waitForTransactionReceipt({ hash })
      const { logs, blockHash, blockNumber, gasUsed, transactionHash } = receipt
      const handled = parseEventLogs({ abi: OperationHandler.abi, logs, eventName: 'OperationHandled' })
      const isDone = sugarcoats || handled.some(({ args }) => args.sender === address && args.success)
      const hex = (value: bigint): Hex => `0x${value.toString(16)}`
      return {
        version: '2.0.0',
        id: hash,
        chainId: hex(BigInt(chain.chainId)),
        status: isDone ? 200 : 500,
        atomic: true,
        receipts: [
          {
            logs: logs.map(({ address, data, topics }) => ({ address, data, topics })),
            status: isDone ? '0x1' : '0x0',
            blockHash,
            blockNumber: hex(blockNumber),
            gasUsed: hex(gasUsed),
            transactionHash,
          },
        ],
      }
    }

    return {
      ...plain,
      address,
      operation,
      execute,
      async signMessage(asked) {
        const signature = await owner.signMessage(asked)
        if (await isDeployed()) return signature
        const args = [owner.address] as const
        const data = encodeFunctionData({ abi: OperationHandler.abi, functionName: 'createAccount', args })
        return serializeErc6492Signature({ address: handler, data, signature })
      },
      async request(request: TestWalletRequest) {
        const [first]: readonly unknown[] = request.params ?? []
        switch (request.method) {
          case 'wallet_sendCalls':
            plain.requests.push(request)
            return { id: await execute((first as { calls: readonly Call[] }).calls) }
          case 'wallet_getCallsStatus':
            return statusOf(first as Hash)
          case 'eth_sendTransaction':
            plain.requests.push(request)
            return execute([first as Call])
          default:
            return plain.request(request)
        }
      },
    }
  }

  return {
    handler,
    bundler,
    delegate,
    of: async (owner, options) => walletOf(await entry.read('accountOf', [owner.address]), owner, options),
    delegated: (owner, options) => walletOf(owner.address, owner, options),
  }
}
