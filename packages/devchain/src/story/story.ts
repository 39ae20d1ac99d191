import { Subscriptions } from '@remit/contracts/Subscriptions'
import { TestToken } from '@remit/contracts/TestToken'
import { type Address, maxUint256, parseUnits } from 'viem'
import { type Call, callOf } from '../chain/block.ts'
import type { Deployment } from '../chain/deploy.ts'
import type { Cast, PlanName, Wallets } from './cast.ts'

/** What happens on one day at one time. */
export interface Scene {
  /** Relative to today, so always negative. */
  readonly day: number
  readonly calls: readonly Call[]
}

/** The day on which the plans are created and the accounts get tokens and approve some. */
export const FIRST_DAY = -41

/** The seeded history without the remits. */
export function tellStory(deployment: Deployment, wallets: Wallets, cast: Cast): Scene[] {
  const { ada, ben, cleo, dan, eve, janitor, providers } = wallets
  const [coffee, news] = providers
  const target = { address: deployment.contract, abi: Subscriptions.abi }
  const subscribe = (account: Address, plan: PlanName) => callOf(account, target, 'subscribe', [cast[plan]])
  const edit = (plan: PlanName, description: string) => {
    const { id, provider, details } = cast[plan]
    return callOf(provider, target, 'editDetails', [{ url: details.url, description }, id])
  }
  const profile = (provider: Address, company: string, domain: string, description: string) =>
    callOf(provider, target, 'editProvDetails', [
      { description, company, url: `https://${domain}`, domain, email: `hello@${domain}`, misc: '' },
    ])
  const { newsMonthly, podcastWeekly } = cast

  return [
    { day: FIRST_DAY, calls: [...funding(deployment, wallets), ...creations(deployment, cast)] },
    {
      day: -40,
      calls: [
        profile(coffee, 'Coffee House', 'coffee.example', 'Roasters since this spring'),
        profile(news, 'The Morning Paper', 'news.example', 'Printed at night, read at breakfast'),
      ],
    },
    { day: -39, calls: [subscribe(ada, 'newsMonthly'), subscribe(eve, 'podcastWeekly')] },
    { day: -37, calls: [subscribe(ada, 'coffeeWeekly'), subscribe(ben, 'beansWeekly')] },
    { day: -36, calls: [subscribe(ben, 'serverQuarterly'), subscribe(cleo, 'serverQuarterly')] },
    { day: -33, calls: [subscribe(cleo, 'newsMonthly'), subscribe(eve, 'newsMonthly')] },
    { day: -30, calls: [subscribe(dan, 'archiveYearly'), subscribe(ada, 'archiveYearly')] },
    { day: -27, calls: [subscribe(dan, 'beansWeekly'), subscribe(ben, 'coffeeWeekly')] },
    { day: -26, calls: [edit('coffeeWeekly', 'A bag of coffee every week, now from Ethiopia')] },
    { day: -24, calls: [subscribe(cleo, 'backupsMonthly'), subscribe(ada, 'backupsMonthly')] },
    {
      day: -19,
      calls: [subscribe(cleo, 'coffeeWeekly'), edit('newsMonthly', 'The morning paper, Sundays too')],
    },
    { day: -12, calls: [callOf(news, target, 'cancelSubscription', [podcastWeekly])] },
    {
      day: -11,
      calls: [profile(coffee, 'Coffee House', 'coffee.example', 'Roasters, and now a shop as well')],
    },
    { day: -9, calls: [callOf(janitor, target, 'cleanupCancelledSubscribers', [podcastWeekly])] },
    { day: -6, calls: [edit('newsMonthly', 'The morning paper, seven days a week')] },
    { day: -5, calls: [callOf(cleo, target, 'unsubscribe', [newsMonthly])] },
    { day: -4, calls: [callOf(news, target, 'unsubscribeByProvider', [newsMonthly, eve])] },
  ]
}

/** Tokens and allowances for all who pay; only tokens for the newcomer and the beginner. */
function funding({ contract, tokens }: Deployment, wallets: Wallets): Call[] {
  const { ada, ben, cleo, dan, eve, newcomer, beginner } = wallets
  const usdc = { address: tokens.usdc, abi: TestToken.abi, decimals: 6 }
  const dai = { address: tokens.dai, abi: TestToken.abi, decimals: 18 }
  const mint = (account: Address, token: typeof usdc) =>
    callOf(account, token, 'mint', [account, parseUnits('10000', token.decimals)])
  const approve = (account: Address, token: typeof usdc, amount?: string) =>
    callOf(account, token, 'approve', [
      contract,
      amount === undefined ? maxUint256 : parseUnits(amount, token.decimals),
    ])
  return [
    ...[ada, ben, cleo, dan, eve, newcomer, beginner].flatMap((account) => [
      mint(account, usdc),
      mint(account, dai),
    ]),
    approve(ada, usdc),
    approve(ada, dai, '500'),
    approve(ben, usdc, '1000'),
    approve(cleo, usdc),
    approve(cleo, dai),
    // Enough for a little more than two weeks of beans: the third remit drops this subscriber.
    approve(dan, usdc, '14'),
    approve(dan, dai, '300'),
    approve(eve, usdc, '400'),
  ]
}

function creations({ contract }: Deployment, cast: Cast): Call[] {
  const target = { address: contract, abi: Subscriptions.abi }
  return Object.values(cast).map(({ provider, amount, token, details, frequency, dueDay }) =>
    callOf(provider, target, 'createSubscription', [amount, token, details, frequency, dueDay]),
  )
}
