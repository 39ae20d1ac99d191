import { DEV_CHAIN_ID } from '../chain/anvil.ts'
import { createDevClient, type DevClient } from '../chain/client.ts'

/** The command is invalid. The message says what to do instead. */
export class AdvanceError extends Error {
  override readonly name = 'AdvanceError'
}

export interface AdvanceOptions {
  readonly rpcUrl: string
  readonly seconds: number
}

interface BlockTime {
  readonly blockNumber: number
  /** Unix seconds. */
  readonly timestamp: number
}

/** Enough for any test. Years keep four digits even after many such steps. */
const MOST_SECONDS = 10 * 366 * 86_400

/** Moves the clock forward and mines one block. Refuses any chain but a dev chain. */
export async function advanceChain({
  rpcUrl,
  seconds,
}: AdvanceOptions): Promise<{ from: BlockTime; to: BlockTime }> {
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > MOST_SECONDS) {
    throw new AdvanceError(
      `The clock moves forward by 1 second to ${MOST_SECONDS / 86_400} days, not by ${seconds} s.`,
    )
  }
  const client = createDevClient(rpcUrl)
  const chainId = await client.getChainId().catch((cause: unknown) => {
    throw new AdvanceError(
      `No chain answers at ${rpcUrl}: run \`npm start\` first, or name another with --rpc.`,
      { cause },
    )
  })
  if (chainId !== DEV_CHAIN_ID) {
    throw new AdvanceError(
      `${rpcUrl} is chain ${chainId}, not the dev chain ${DEV_CHAIN_ID}: nothing was done.`,
    )
  }
  const from = await latest(client)
  await client.increaseTime({ seconds })
  await client.mine({ blocks: 1 })
  return { from, to: await latest(client) }
}

async function latest(client: DevClient): Promise<BlockTime> {
  const { number, timestamp } = await client.getBlock()
  return { blockNumber: Number(number), timestamp: Number(timestamp) }
}
