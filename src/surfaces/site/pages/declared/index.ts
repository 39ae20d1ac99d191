import type { SitePage } from '../definePage.ts'
import { desk } from './desk.ts'
import { home } from './home.ts'
import { keeper } from './keeper.ts'
import { me } from './me.ts'
import { plan } from './plan.ts'
import { plans } from './plans.ts'
import { portal } from './portal.ts'
import { receipt } from './receipt.ts'
import { subscribe } from './subscribe.ts'
import { wallet } from './wallet.ts'

/** All pages. Each has its component in `site/src/pages/<name>/page.tsx`. */
export const sitePages: readonly SitePage[] = [
  home,
  plans,
  plan,
  subscribe,
  wallet,
  receipt,
  me,
  desk,
  keeper,
  portal,
]
