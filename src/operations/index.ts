import type { Operation } from '../core/operation.ts'
import { getAccount } from './accounts/getAccount.ts'
import { getAccountSubscriptions } from './accounts/getAccountSubscriptions.ts'
import { getProviderProfile } from './accounts/getProviderProfile.ts'
import { getAccountActivity } from './history/getAccountActivity.ts'
import { getSubscriptionHistory } from './history/getSubscriptionHistory.ts'
import { getTransactionStatus } from './history/getTransactionStatus.ts'
import { createKey } from './keys/createKey.ts'
import { getKey } from './keys/getKey.ts'
import { listKeys } from './keys/listKeys.ts'
import { revokeKey } from './keys/revokeKey.ts'
import { prepareRevokeAllowance } from './prepare/leave/prepareRevokeAllowance.ts'
import { prepareUnsubscribe, prepareUnsubscribeById } from './prepare/leave/prepareUnsubscribe.ts'
import {
  prepareCancelSubscription,
  prepareCancelSubscriptionById,
} from './prepare/provider/prepareCancelSubscription.ts'
import { prepareCreateSubscription } from './prepare/provider/prepareCreateSubscription.ts'
import { prepareEditDetails } from './prepare/provider/prepareEditDetails.ts'
import { prepareEditProviderDetails } from './prepare/provider/prepareEditProviderDetails.ts'
import {
  prepareUnsubscribeByProvider,
  prepareUnsubscribeByProviderById,
} from './prepare/provider/prepareUnsubscribeByProvider.ts'
import { checkRemitReadiness } from './prepare/remit/checkRemitReadiness.ts'
import { prepareRemit } from './prepare/remit/prepareRemit.ts'
import {
  checkSubscribeReadiness,
  checkSubscribeReadinessById,
} from './prepare/subscribe/checkSubscribeReadiness.ts'
import { prepareSubscribe, prepareSubscribeById } from './prepare/subscribe/prepareSubscribe.ts'
import { getApprovedToken } from './protocol/getApprovedToken.ts'
import { getProtocolState } from './protocol/getProtocolState.ts'
import { listApprovedTokens } from './protocol/listApprovedTokens.ts'
import { getCatalog } from './service/getCatalog.ts'
import { getOpenApi } from './service/getOpenApi.ts'
import { getReady } from './service/getReady.ts'
import { getService } from './service/getService.ts'
import { getStatus } from './service/getStatus.ts'
import { listChains } from './service/listChains.ts'
import { getFeeBalance } from './subscriptions/getFeeBalance.ts'
import { getSubscribers } from './subscriptions/getSubscribers.ts'
import { getSubscription } from './subscriptions/getSubscription.ts'
import { getSubscriptionDetails } from './subscriptions/getSubscriptionDetails.ts'
import { getSubscriptionDetailsHistory } from './subscriptions/getSubscriptionDetailsHistory.ts'
import { getSubscriptionsDue } from './subscriptions/getSubscriptionsDue.ts'
import { searchSubscriptions } from './subscriptions/searchSubscriptions.ts'

/** All operations of the service. Routes, tools, the catalog and documents are made from this list. */
export const operations: readonly Operation[] = [
  getService,
  getStatus,
  getReady,
  getCatalog,
  getOpenApi,
  listChains,
  getProtocolState,
  searchSubscriptions,
  getSubscriptionsDue,
  getSubscription,
  getSubscriptionDetails,
  getSubscriptionDetailsHistory,
  getSubscriptionHistory,
  getSubscribers,
  getFeeBalance,
  getAccount,
  getAccountSubscriptions,
  getAccountActivity,
  getProviderProfile,
  listApprovedTokens,
  getApprovedToken,
  prepareCreateSubscription,
  checkSubscribeReadiness,
  checkSubscribeReadinessById,
  prepareSubscribe,
  prepareSubscribeById,
  prepareUnsubscribe,
  prepareUnsubscribeById,
  prepareRevokeAllowance,
  prepareCancelSubscription,
  prepareCancelSubscriptionById,
  prepareUnsubscribeByProvider,
  prepareUnsubscribeByProviderById,
  prepareEditDetails,
  prepareEditProviderDetails,
  checkRemitReadiness,
  prepareRemit,
  getTransactionStatus,
  createKey,
  listKeys,
  getKey,
  revokeKey,
]
