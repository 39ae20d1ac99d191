import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEV_CHAIN_ID, TEST_MNEMONIC } from '@remit/devchain/testing/chain/anvil'
import { createDevClient, type DevClient } from '@remit/devchain/testing/chain/client'
import { type Deployment, deployProtocol } from '@remit/devchain/testing/chain/deploy'
import { startGuarded } from '@remit/devchain/testing/chain/guarded'
import { custom, http, type Transport } from 'viem'
import { afterAll, describe, it } from 'vitest'
import { MONDAY_NOON } from '../../support/chain/useTestChain.ts'
import { nameWallets, type Wallets } from '../../support/chain/Wallets.ts'
import { findBuilt } from '../../support/programs/installed.ts'

const FOLDER = import.meta.dirname
const PROGRAM = join(FOLDER, 'node_modules/hardhat/internal/cli/bootstrap.js')

const hardhatIsInstalled =
  findBuilt('Hardhat’s node (`npm ci` in test/nodes/hardhat/)', PROGRAM) !== undefined

/** Hardhat's node with the protocol on it. */
export interface HardhatChain extends Deployment {
  readonly url: string
  readonly chainId: number
  readonly client: DevClient
  readonly wallets: Wallets
  stop(): Promise<void>
}

/**
 * A suite over Hardhat's node with the protocol on it, whose tests go on from what those before them did.
 *
 * Where it is not installed, one test is left out in its place.
 */
export function describeHardhat(what: string, suite: (chain: HardhatChain) => Promise<void>): void {
  if (!hardhatIsInstalled) {
    it.skipIf(!hardhatIsInstalled)(what, () => {})
    return
  }
  describe(what, async () => {
    const chain = await startHardhat()
    afterAll(() => chain.stop())
    await suite(chain)
  })
}

async function startHardhat(): Promise<HardhatChain> {
  const folder = mkdtempSync(join(tmpdir(), 'remit-hardhat-'))
  const settings = {
    FOLDER: folder,
    CHAIN_ID: DEV_CHAIN_ID,
    TIMESTAMP: MONDAY_NOON - 60,
    MNEMONIC: TEST_MNEMONIC,
    PATH: process.env.PATH,
    // It finds no settings of this machine's user there, and so no consent to report its use.
    HOME: folder,
    HARDHAT_DISABLE_TELEMETRY_PROMPT: true,
    // It looks for itself from the current folder on, which is not its own.
    HARDHAT_EXPERIMENTAL_ALLOW_NON_LOCAL_INSTALLATION: true,
  }
  const environment = Object.entries(settings).map(([name, value]) => `${name}=${value}`)
  const program = [process.execPath, PROGRAM, '--config', join(FOLDER, 'hardhat.config.cjs')]
  const listening = ['node', '--hostname', '127.0.0.1', '--port', '0']
  const { says, stop } = startGuarded(
    'hardhat',
    ['env', '-i', ...environment, ...program, ...listening],
    folder,
  )
  try {
    const [, url = ''] = await says(/JSON-RPC server at (http:\/\/[\d.]+:\d+)/)
    const client = createDevClient(url, likeAnvil(url))
    const wallets = nameWallets(await client.getAddresses())
    const { admin, janitor } = wallets
    const deployment = await deployProtocol(client, { admin, janitor, timestamp: MONDAY_NOON })
    return { ...deployment, url, chainId: DEV_CHAIN_ID, client, wallets, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Hardhat has most of anvil's own methods, under its own name. It mines what is sent before it answers. */
function likeAnvil(url: string): Transport {
  const node = http(url, { retryCount: 0 })({})
  return custom(
    {
      async request({ method, params }: { method: string; params?: unknown }) {
        if (method !== 'eth_sendTransactionSync') {
          return node.request({ method: method.replace(/^anvil_/, 'hardhat_'), params })
        }
        return { transactionHash: await node.request({ method: 'eth_sendTransaction', params }) }
      },
    },
    { retryCount: 0 },
  )
}
