import type { Operation } from '../core/operation.ts'
import { getAccount } from './accounts/getAccount.ts'
import { getAccountSubscriptions } from './accounts/getAccountSubscriptions.ts'
import { getProviderProfile } from './accounts/getProviderProfile.ts'
import { listEvents } from './events/listEvents.ts'
import { getAccountActivity } from './history/getAccountActivity.ts'
import { getSubscriptionHistory } from './history/getSubscriptionHistory.ts'
import { getTransactionStatus } from './history/getTransactionStatus.ts'
import { createKey } from './keys/createKey.ts'
import { getKey } from './keys/getKey.ts'
import { getKeyUsage } from './keys/getKeyUsage.ts'
import { listKeys } from './keys/listKeys.ts'
import { renameKey } from './keys/renameKey.ts'
import { revokeKey } from './keys/revokeKey.ts'
import { rotateKey } from './keys/rotateKey.ts'
import { getAccountOutlook } from './outlook/getAccountOutlook.ts'
import { getProviderOutlook } from './outlook/getProviderOutlook.ts'
import { getSubscriptionOutlook } from './outlook/getSubscriptionOutlook.ts'
import { createPass } from './passes/createPass.ts'
import { getPassKeys } from './passes/getPassKeys.ts'
import { getMembership } from './payments/getMembership.ts'
import { getPayment } from './payments/getPayment.ts'
import { getProviderRevenue } from './payments/getProviderRevenue.ts'
import { getSubscriptionRevenue } from './payments/getSubscriptionRevenue.ts'
import { listProviderPayments } from './payments/listProviderPayments.ts'
import { prepareExtendCoverage } from './prepare/extend/prepareExtendCoverage.ts'
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
import { getSession } from './sessions/getSession.ts'
import { getSignInTerms } from './sessions/getSignInTerms.ts'
import { signIn } from './sessions/signIn.ts'
import { signOut } from './sessions/signOut.ts'
import { simulateRemit } from './simulate/simulateRemit.ts'
import { getFeeBalance } from './subscriptions/getFeeBalance.ts'
import { getSubscribers } from './subscriptions/getSubscribers.ts'
import { getSubscription } from './subscriptions/getSubscription.ts'
import { getSubscriptionDetails } from './subscriptions/getSubscriptionDetails.ts'
import { getSubscriptionDetailsHistory } from './subscriptions/getSubscriptionDetailsHistory.ts'
import { getSubscriptionsDue } from './subscriptions/getSubscriptionsDue.ts'
import { searchSubscriptions } from './subscriptions/searchSubscriptions.ts'
import { changeWebhook } from './webhooks/changeWebhook.ts'
import { createWebhook } from './webhooks/createWebhook.ts'
import { deleteWebhook } from './webhooks/deleteWebhook.ts'
import { getWebhook } from './webhooks/getWebhook.ts'
import { getWebhookKey } from './webhooks/getWebhookKey.ts'
import { listWebhookDeliveries } from './webhooks/listWebhookDeliveries.ts'
import { listWebhooks } from './webhooks/listWebhooks.ts'
import { pauseWebhook, resumeWebhook } from './webhooks/pauseWebhook.ts'
import { redeliverEvent, redeliverEventsSince } from './webhooks/redeliver.ts'
import { rotateWebhookSecret } from './webhooks/rotateWebhookSecret.ts'
import { testWebhook } from './webhooks/testWebhook.ts'

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
  getMembership,
  getFeeBalance,
  getSubscriptionRevenue,
  getPayment,
  getAccount,
  getAccountSubscriptions,
  getAccountActivity,
  getAccountOutlook,
  getProviderProfile,
  getProviderRevenue,
  listProviderPayments,
  getProviderOutlook,
  getSubscriptionOutlook,
  listApprovedTokens,
  getApprovedToken,
  prepareCreateSubscription,
  checkSubscribeReadiness,
  checkSubscribeReadinessById,
  prepareSubscribe,
  prepareSubscribeById,
  prepareUnsubscribe,
  prepareUnsubscribeById,
  prepareExtendCoverage,
  prepareRevokeAllowance,
  prepareCancelSubscription,
  prepareCancelSubscriptionById,
  prepareUnsubscribeByProvider,
  prepareUnsubscribeByProviderById,
  prepareEditDetails,
  prepareEditProviderDetails,
  checkRemitReadiness,
  prepareRemit,
  simulateRemit,
  getTransactionStatus,
  listEvents,
  createKey,
  listKeys,
  getKey,
  getKeyUsage,
  renameKey,
  rotateKey,
  revokeKey,
  createWebhook,
  listWebhooks,
  getWebhookKey,
  getWebhook,
  changeWebhook,
  pauseWebhook,
  resumeWebhook,
  rotateWebhookSecret,
  testWebhook,
  listWebhookDeliveries,
  redeliverEvent,
  redeliverEventsSince,
  deleteWebhook,
  getSignInTerms,
  signIn,
  getSession,
  signOut,
  createPass,
  getPassKeys,
]
