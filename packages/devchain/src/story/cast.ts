import { type Address, encodePacked, type Hex, keccak256, parseUnits } from 'viem'
import { dueDayAtOrBefore } from '../chain/calendar.ts'
import type { Deployment } from '../chain/deploy.ts'

// Who and what the seeded history of the development chain is about (its "cast"): the wallets by their roles, and the plans. `makeCast`
// computes what the contract will make of each plan, so that the history can be written before anything is sent.

/** The mnemonic's thirteen accounts, named by their roles in the seeded history. */
export interface Wallets {
  readonly admin: Address
  /** Coffee, news and hosting. */
  readonly providers: readonly [Address, Address, Address]
  readonly ada: Address
  readonly ben: Address
  readonly cleo: Address
  readonly dan: Address
  readonly eve: Address
  /** Calls remit and earns the fees. */
  readonly keeper: Address
  /** Takes the members out of a cancelled subscription (`cleanupCancelledSubscribers`). */
  readonly janitor: Address
  /** A wallet to try things with: it has ether and tokens, and no allowance. */
  readonly newcomer: Address
  /** Another one like it, which docs/start.md alone uses: so it can be followed after any other page. */
  readonly beginner: Address
}

/** Gives the chain's accounts their roles, in their order. Throws where there are fewer than thirteen. */
export function castWallets(addresses: readonly Address[]): Wallets {
  const [admin, coffee, news, hosting, ada, ben, cleo, dan, eve, ...others] = addresses
  if (!admin || !coffee || !news || !hosting || !ada || !ben || !cleo || !dan || !eve) throw tooFew(addresses)
  const [keeper, janitor, newcomer, beginner] = others
  if (!keeper || !janitor || !newcomer || !beginner) throw tooFew(addresses)
  const providers = [coffee, news, hosting] as const
  return { admin, providers, ada, ben, cleo, dan, eve, keeper, janitor, newcomer, beginner }
}

/** Who of them the site's pages offer as a test wallet, by the place in `castWallets`, in the form of the variable TEST_WALLET. */
export const TEST_WALLETS = [
  '11=newcomer',
  '1=Coffee House (provider)',
  '2=Morning Paper (provider)',
  '3=hosting (provider)',
  '4=Ada (subscriber)',
  '5=Ben (subscriber)',
  '6=Cleo (subscriber)',
  '7=Dan (subscriber)',
  '8=Eve (was removed)',
] as const

const tooFew = (addresses: readonly Address[]) =>
  new Error(`The cast has thirteen wallets, and the chain has ${addresses.length} accounts`)

export type PlanName =
  | 'coffeeWeekly'
  | 'beansWeekly'
  | 'newsMonthly'
  | 'archiveYearly'
  | 'serverQuarterly'
  | 'backupsMonthly'
  | 'podcastWeekly'

/** One subscription of the seeded history, before it has an id. */
interface Plan {
  readonly name: PlanName
  /** The place in `Wallets.providers`. */
  readonly provider: 0 | 1 | 2
  readonly token: keyof Deployment['tokens']
  /** In whole tokens. */
  readonly amount: string
  /** 0 weekly, 1 monthly, 2 quarterly, 3 yearly. */
  readonly frequency: 0 | 1 | 2 | 3
  /** It is due this many days after today, or a few days earlier if nothing can be due on that day. */
  readonly dueInDays: number
  readonly url: string
  readonly description: string
}

const PLANS: readonly Plan[] = [
  {
    name: 'coffeeWeekly',
    provider: 0,
    token: 'usdc',
    amount: '12.5',
    frequency: 0,
    // Due today and not yet remitted, whatever day today is.
    dueInDays: 0,
    url: 'https://coffee.example/weekly',
    description: 'A bag of coffee every week',
  },
  {
    name: 'beansWeekly',
    provider: 0,
    token: 'usdc',
    amount: '5',
    frequency: 0,
    // Due yesterday, whatever day today is: so the last remit of the history goes as far as today.
    dueInDays: -1,
    url: 'https://coffee.example/beans',
    description: 'Green beans to roast at home',
  },
  {
    name: 'newsMonthly',
    provider: 1,
    token: 'usdc',
    amount: '9.99',
    frequency: 1,
    dueInDays: -10,
    url: 'https://news.example/monthly',
    description: 'The morning paper',
  },
  {
    name: 'archiveYearly',
    provider: 1,
    token: 'dai',
    amount: '120',
    frequency: 3,
    dueInDays: -20,
    url: 'https://news.example/archive',
    description: 'Every issue since 1890',
  },
  {
    name: 'serverQuarterly',
    provider: 2,
    token: 'usdc',
    amount: '45',
    frequency: 2,
    dueInDays: -16,
    url: 'https://hosting.example/server',
    description: 'A small server',
  },
  {
    name: 'backupsMonthly',
    provider: 2,
    token: 'dai',
    amount: '3',
    frequency: 1,
    // Due today too, unless today is one of the last days of a month, on which nothing can be due.
    dueInDays: 0,
    url: 'https://hosting.example/backups',
    description: 'Nightly backups',
  },
  {
    name: 'podcastWeekly',
    provider: 1,
    token: 'usdc',
    amount: '2',
    frequency: 0,
    dueInDays: -3,
    url: 'https://news.example/podcast',
    description: 'A podcast that ran out of listeners',
  },
]

/** A subscription as the tuple that the contract's functions take. */
export interface CastSubscription {
  readonly id: Hex
  /** In protocol units: 18 decimals, whatever the token has. */
  readonly amount: bigint
  readonly provider: Address
  readonly token: Address
  readonly cancelled: false
  readonly frequency: 0 | 1 | 2 | 3
  readonly dueDay: number
  readonly details: { readonly url: string; readonly description: string }
}

/** The subscriptions of the seeded history. Their ids and due days depend on the day of the seeding. */
export type Cast = Readonly<Record<PlanName, CastSubscription>>

/**
 * Computes the terms and the id of every plan before it is created. An id depends on the creator, on the contract's
 * count of that creator's subscriptions, and on the block's time.
 *
 * @param today day number of the seeding
 * @param createdAt unix time of the block in which all of them are created, in the order of PLANS
 */
export function makeCast(
  wallets: Wallets,
  tokens: Deployment['tokens'],
  today: number,
  createdAt: number,
): Cast {
  const subscriptionOf = (name: PlanName): CastSubscription => {
    const plan = PLANS.find((each) => each.name === name)
    if (plan === undefined) throw new Error(`The cast has no plan ${name}`)
    const provider = wallets.providers[plan.provider]
    const nonce = PLANS.filter((each) => each.provider === plan.provider).indexOf(plan)
    const idParts = [provider, BigInt(nonce), BigInt(createdAt)] as const
    return {
      id: keccak256(encodePacked(['address', 'uint256', 'uint256'], idParts)),
      amount: parseUnits(plan.amount, 18),
      provider,
      token: tokens[plan.token],
      cancelled: false,
      frequency: plan.frequency,
      dueDay: dueDayAtOrBefore(today + plan.dueInDays, plan.frequency),
      details: { url: plan.url, description: plan.description },
    }
  }
  // In the order of PLANS, which is the order of the nonces.
  return {
    coffeeWeekly: subscriptionOf('coffeeWeekly'),
    beansWeekly: subscriptionOf('beansWeekly'),
    newsMonthly: subscriptionOf('newsMonthly'),
    archiveYearly: subscriptionOf('archiveYearly'),
    serverQuarterly: subscriptionOf('serverQuarterly'),
    backupsMonthly: subscriptionOf('backupsMonthly'),
    podcastWeekly: subscriptionOf('podcastWeekly'),
  }
}
