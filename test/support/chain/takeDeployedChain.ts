import { type Anvil, startAnvil } from '@remit/devchain/testing/chain/anvil'
import { createDevClient, type DevClient } from '@remit/devchain/testing/chain/client'
import { type Deployment, deployProtocol, type ProtocolTerms } from '@remit/devchain/testing/chain/deploy'
import { openSocket } from '@remit/devchain/testing/chain/socket'
import type { GethChain } from '../geth/GethChain.ts'
import { revertTo } from './revertTo.ts'
import { nameWallets, type Wallets } from './Wallets.ts'

export interface DeployedChainOptions {
  /** Unix time of the block with the contract; a Monday at noon where it is left out. */
  readonly timestamp?: number
  readonly chainId?: number
  readonly gasLimit?: bigint
  /** Whether no transaction may ask for more than 2^24 gas. */
  readonly capsTransactions?: boolean
  readonly terms?: Partial<ProtocolTerms>
  /** Another node instead of an anvil. What starts one stands with its suites: most tests need Node alone. */
  readonly node?: OtherNode
}

export interface OtherNode {
  /** Tells nodes with different settings apart. */
  readonly key: string
  start(options: NodeOptions): Promise<StartedNode>
}

/** The genesis block's time, and what else the chain's first block says. */
export type NodeOptions = Pick<DeployedChainOptions, 'chainId' | 'gasLimit'> & { readonly timestamp: number }

export type StartedNode = Pick<Anvil, 'url' | 'chainId' | 'stop'> & { readonly geth?: GethChain }

/** A node with the protocol on it and nothing else. It ends with the worker, if it is not stopped before. */
export interface DeployedChain extends Pick<Anvil, 'url' | 'chainId' | 'stop'> {
  readonly client: DevClient
  readonly wallets: Wallets
  readonly deployment: Deployment
  /** The node behind `url`, where it is a geth. */
  readonly geth: GethChain | undefined
  /** Puts it back to its first state, for the worker's next file that asks for such a chain. */
  giveBack(): Promise<void>
}

/** The chains of this worker that no file uses now. The newest stands last. */
const idle: { readonly key: string; readonly chain: DeployedChain }[] = []

/** Most files want the same chain. Those that no other file wants shall not pile up. */
const MAX_IDLE = 2

/**
 * A chain that an earlier file of this worker gave back, or a new one.
 * @param options.isNew a new one, for a file that replaces blocks: no other file's past may stand behind them
 */
export async function takeDeployedChain({
  isNew,
  ...options
}: DeployedChainOptions & { readonly timestamp: number; readonly isNew: boolean }): Promise<DeployedChain> {
  const key = keyOf(options)
  if (isNew) return startDeployedChain(options, key)
  const index = idle.findIndex((candidate) => candidate.key === key)
  const [known] = index === -1 ? [] : idle.splice(index, 1)
  return known?.chain ?? startDeployedChain(options, key)
}

async function startDeployedChain(
  options: DeployedChainOptions & { readonly timestamp: number },
  key: string,
): Promise<DeployedChain> {
  const { timestamp, terms = {} } = options
  const node = await startNode({ ...options, timestamp: timestamp - 60 })
  // What makes a geth look like an anvil speaks HTTP alone.
  const socket = node.geth === undefined ? openSocket(node.url) : undefined
  const client = createDevClient(node.url, socket?.transport)
  const wallets = nameWallets(await client.getAddresses())
  const { admin, janitor } = wallets
  const deployment = await deployProtocol(client, { admin, janitor, terms, timestamp })
  const { hash } = await client.getBlock()
  let first = await client.snapshot()

  const stop = async () => {
    await socket?.close()
    await node.stop()
  }
  const isAsItWas = async () => {
    const [block, pool] = await Promise.all([client.getBlock(), client.getTxpoolStatus()])
    return block.hash === hash && pool.pending === 0 && pool.queued === 0
  }
  const chain: DeployedChain = {
    url: node.url,
    chainId: node.chainId,
    stop,
    geth: node.geth,
    client,
    wallets,
    deployment,
    async giveBack() {
      await client.setAutomine(true)
      await revertTo(client, first)
      // A revert uses its snapshot up.
      first = await client.snapshot()
      if (!(await isAsItWas())) return stop()
      idle.push({ key, chain })
      if (idle.length > MAX_IDLE) await idle.shift()?.chain.stop()
    },
  }
  return chain
}

function startNode({
  timestamp,
  chainId,
  gasLimit,
  capsTransactions = false,
  node,
}: DeployedChainOptions & { readonly timestamp: number }): Promise<StartedNode> {
  const options = {
    timestamp,
    ...(chainId !== undefined && { chainId }),
    ...(gasLimit !== undefined && { gasLimit }),
  }
  return node === undefined ? startAnvil({ ...options, capsTransactions }) : node.start(options)
}

function keyOf({
  timestamp,
  chainId,
  gasLimit,
  capsTransactions,
  terms = {},
  node,
}: DeployedChainOptions): string {
  const given = [timestamp, chainId, gasLimit, capsTransactions, node?.key]
  const named = Object.entries(terms).flat()
  return [...given, ...named].map(String).join()
}
