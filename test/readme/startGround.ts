import { createDevClient } from '@remit/devchain/testing/chain/client'
import { environmentOver } from '@remit/devchain/testing/main'
import { type Devnet, startDevnet } from '@remit/devchain/testing/startDevnet'
import { loadConfig } from '@remit/service/configuration/loadConfig'
import { startService } from '@remit/service/processes/service'
import { toHex } from 'viem'
import { afterAll } from 'vitest'
import * as z from 'zod'
import { revertTo } from '../support/chain/revertTo.ts'
import { signerOf } from '../support/chain/useTestChain.ts'
import { WALL_OF_TEST_CHAINS } from '../support/service/wallOfTestChains.ts'
import type { Placeholder } from './leftOut.ts'

/** What `npm start` starts, on free ports, and what documents mean by their placeholders there. */
export interface Ground {
  readonly environment: Record<string, string>
  placeholder(name: Placeholder): Promise<string>
  close(): Promise<void>
}

/**
 * When the answers that documents show were recorded. On that day the development chain's subscriptions have the ids
 * that they show, and what is due on it is what they say; on another day of the month less might be.
 */
const RECORDED_AT = Date.UTC(2026, 10, 21, 10, 42) / 1000

/** The account of the mnemonic that README uses: it has tokens, and subscribes to nothing. */
const NEWCOMER = 11

/** The secret is the one that documents show. */
const OWN = {
  PORT: '0',
  SHUTDOWN_TIMEOUT_MS: '500',
  DEVELOPER_KEYS_ADMIN_SECRET: 'correct-horse-battery-staple',
}

/**
 * A development chain for all documents, which each of them finds as it began; or, where it `goesOn`, as the document
 * before has left it.
 * @param environment variables that documents set before `npm start`
 * @returns what starts the service for one document
 */
export async function useGround(
  environment: Record<string, string>,
): Promise<(how: { readonly goesOn: boolean }) => Promise<Ground>> {
  const devnet = await startDevnet({ now: RECORDED_AT })
  afterAll(() => devnet.stop())
  const client = createDevClient(devnet.url)
  let first = await client.snapshot()
  let count = 0
  return async ({ goesOn }) => {
    if (!goesOn) {
      await revertTo(client, first)
      // A revert uses its snapshot up.
      first = await client.snapshot()
    }
    count += 1
    // What the document before has stored is of a chain that is no more.
    const store = { DATABASE_URL: `file:${devnet.cachePath}/remit-${count}.db` }
    return startGround(devnet, { ...store, ...environment })
  }
}

async function startGround(devnet: Devnet, environment: Record<string, string>): Promise<Ground> {
  const client = createDevClient(devnet.url)
  const ignore = () => {}
  const config = loadConfig(environmentOver(devnet, { ...environment, ...OWN }))
  const log = { info: ignore, warn: ignore, error: ignore }
  const service = await startService(config, log, { wallNow: WALL_OF_TEST_CHAINS })
  await indexAtHead(service.url, await client.getBlockNumber())
  const { host } = new URL(service.url)
  return {
    environment: {
      // Other processes may use the default ports: commands find the service and the chain by these variables.
      PORT: new URL(service.url).port,
      DEVNET_PORT: String(devnet.port),
      REMIT_URL: service.url,
      MCP_URL: `${service.url}/mcp`,
      RPC_URL: devnet.url,
      PAGE_PORT: '0',
      WALLET_KEY: toHex(signerOf(NEWCOMER).getHdKey().privateKey ?? new Uint8Array()),
    },
    async placeholder(name) {
      switch (name) {
        case 'url':
          return service.url
        case 'rpcUrl':
          return devnet.url
        case 'host':
          return host
        case 'rpcHost':
          return new URL(devnet.url).host
        case 'wallet':
          return devnet.wallets.newcomer
        case 'subscription':
          return devnet.cast.coffeeWeekly.id
        case 'blockNumber':
          return String(await client.getBlockNumber())
      }
    },
    close: () => service.close(),
  }
}

const Status = z.object({ chains: z.array(z.object({ index: z.object({ blockNumber: z.int() }) })) })

/** Nobody types so fast that the index is not there yet. */
async function indexAtHead(url: string, head: bigint): Promise<void> {
  const deadline = performance.now() + 60_000
  while (performance.now() < deadline) {
    const answer = await fetch(`${url}/status`, { headers: { Accept: 'application/json' } })
    const status = Status.safeParse(await answer.json())
    if (status.data?.chains[0]?.index.blockNumber === Number(head)) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('the index of the development chain has not come to its head within a minute')
}
