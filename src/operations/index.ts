import type { Operation } from '../core/operation.ts'
import { getAccount } from './accounts/getAccount.ts'
import { getAccountSubscriptions } from './accounts/getAccountSubscriptions.ts'
import { prepareCreateSubscription } from './prepare/prepareCreateSubscription.ts'
import { prepareRemit } from './prepare/prepareRemit.ts'
import { prepareSubscribeById } from './prepare/prepareSubscribeById.ts'
import { getProtocolState } from './protocol/getProtocolState.ts'
import { getCatalog } from './service/getCatalog.ts'
import { getReady } from './service/getReady.ts'
import { getService } from './service/getService.ts'
import { getStatus } from './service/getStatus.ts'
import { listChains } from './service/listChains.ts'
import { getFeeBalance } from './subscriptions/getFeeBalance.ts'
import { getSubscribers } from './subscriptions/getSubscribers.ts'
import { getSubscription } from './subscriptions/getSubscription.ts'
import { getSubscriptionsDue } from './subscriptions/getSubscriptionsDue.ts'
import { getApprovedToken } from './tokens/getApprovedToken.ts'
import { listApprovedTokens } from './tokens/listApprovedTokens.ts'
import { getTransactionStatus } from './transactions/getTransactionStatus.ts'

/** Everything that the service does. Routes, tools, catalog and documents are made from this list. */
export const operations: readonly Operation[] = [
  getService,
  getStatus,
  getReady,
  getCatalog,
  listChains,
  getProtocolState,
  getSubscriptionsDue,
  getSubscription,
  getSubscribers,
  getFeeBalance,
  getAccount,
  getAccountSubscriptions,
  listApprovedTokens,
  getApprovedToken,
  prepareCreateSubscription,
  prepareSubscribeById,
  prepareRemit,
  getTransactionStatus,
]
