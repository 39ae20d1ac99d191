import { Subscriptions } from '@remit/contracts/Subscriptions'
import { callOf, MAX_TRANSACTION_GAS, mineBlock } from '../chain/block.ts'
import { dayOf, SECONDS_PER_DAY } from '../chain/calendar.ts'
import type { DevClient } from '../chain/client.ts'
import type { Deployment } from '../chain/deploy.ts'
import { type Cast, makeCast, type Wallets } from './cast.ts'
import { FIRST_DAY, tellStory } from './story.ts'

const TEN_O_CLOCK = 10 * 3_600
const SIX_IN_THE_EVENING = 18 * 3_600

/**
 * Seeds a history of some weeks that ends at `now`, which becomes the chain's time.
 *
 * Afterwards every day before today is remitted, and today is not.
 * @param now unix seconds
 */
export async function seedPast(
  client: DevClient,
  deployment: Deployment,
  wallets: Wallets,
  now: number,
): Promise<Cast> {
  const today = dayOf(now)
  const at = (day: number, time: number) => (today + day) * SECONDS_PER_DAY + time
  const cast = makeCast(wallets, deployment.tokens, today, at(FIRST_DAY, TEN_O_CLOCK))
  const scenes = tellStory(deployment, wallets, cast)
  for (let day = FIRST_DAY; day < 0; day += 1) {
    const calls = scenes.filter((scene) => scene.day === day).flatMap((scene) => scene.calls)
    if (calls.length > 0) await mineBlock(client, calls, at(day, TEN_O_CLOCK))
    await remitIfDue(client, deployment, wallets, at(day, SIX_IN_THE_EVENING))
  }
  await mineBlock(client, [], now)
  return cast
}

/** Mines a call of remit at this time, if one would succeed. Days on which nothing is due are skipped by the next one. */
async function remitIfDue(
  client: DevClient,
  { contract }: Deployment,
  { keeper }: Wallets,
  timestamp: number,
): Promise<void> {
  const target = { address: contract, abi: Subscriptions.abi }
  const remit = callOf(keeper, target, 'remit', [], MAX_TRANSACTION_GAS)
  const isDue = await client
    .call({
      account: keeper,
      to: contract,
      data: remit.data,
      gas: MAX_TRANSACTION_GAS,
      blockOverrides: { time: BigInt(timestamp) },
    })
    .then(
      () => true,
      () => false,
    )
  if (isDue) await mineBlock(client, [remit], timestamp)
}
