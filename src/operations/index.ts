import type { Operation } from '../core/operation.ts'
import { getAccount } from './accounts/getAccount.ts'
import { getAccountSubscriptions } from './accounts/getAccountSubscriptions.ts'
import { getProviderProfile } from './accounts/getProviderProfile.ts'
import { listEvents } from './events/listEvents.ts'
import { getAccountActivity } from './history/getAccountActivity.ts'
import { getSubscriptionHistory } from './history/getSubscriptionHistory.ts'
import { getTransactionStatus } from './history/getTransactionStatus.ts'
import { createKey, getKey, getKeyUsage, listKeys, renameKey, revokeKey, rotateKey } from './keys/keys.ts'
import { getAccountOutlook } from './outlook/getAccountOutlook.ts'
import { getProviderOutlook, getSubscriptionOutlook } from './outlook/getOutlooks.ts'
import { createPass } from './passes/createPass.ts'
import { getPassKeys } from './passes/getPassKeys.ts'
import { getMembership } from './payments/getMembership.ts'
import { getPayment } from './payments/getPayment.ts'
import { listProviderPayments } from './payments/listProviderPayments.ts'
import { getProviderRevenue, getSubscriptionRevenue } from './payments/revenue.ts'
import { prepareExtendCoverage } from './prepare/extend/prepareExtendCoverage.ts'
import { prepareRevokeAllowance } from './prepare/leave/prepareRevokeAllowance.ts'
import { prepareUnsubscribe } from './prepare/leave/prepareUnsubscribe.ts'
import { prepareCancelSubscription } from './prepare/provider/prepareCancelSubscription.ts'
import { prepareCreateSubscription } from './prepare/provider/prepareCreateSubscription.ts'
import { prepareEditDetails } from './prepare/provider/prepareEditDetails.ts'
import { prepareEditProviderDetails } from './prepare/provider/prepareEditProviderDetails.ts'
import { prepareUnsubscribeByProvider } from './prepare/provider/prepareUnsubscribeByProvider.ts'
import { checkRemitReadiness, prepareRemit } from './prepare/remit/prepareRemit.ts'
import { checkSubscribeReadiness, prepareSubscribe } from './prepare/subscribe/prepareSubscribe.ts'
import { getApprovedToken, listApprovedTokens } from './protocol/approvedTokens.ts'
import { getProtocolState } from './protocol/getProtocolState.ts'
import { getCatalog } from './service/getCatalog.ts'
import { getStatus } from './service/getStatus.ts'
import { getOpenApi, getReady, getService, listChains } from './service/service.ts'
import { getSession, getSignInTerms, signIn, signOut } from './sessions/sessions.ts'
import { simulateRemit } from './simulate/simulateRemit.ts'
import { getSubscriptionDetails, getSubscriptionDetailsHistory } from './subscriptions/details.ts'
import { getFeeBalance } from './subscriptions/getFeeBalance.ts'
import { getSubscribers } from './subscriptions/getSubscribers.ts'
import { getSubscription } from './subscriptions/getSubscription.ts'
import { getSubscriptionsDue } from './subscriptions/getSubscriptionsDue.ts'
import { searchSubscriptions } from './subscriptions/searchSubscriptions.ts'
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  getWebhook,
  getWebhookKey,
  listWebhookDeliveries,
  listWebhooks,
  pauseWebhook,
  redeliverEvent,
  redeliverEventsSince,
  resumeWebhook,
  rotateWebhookSecret,
  testWebhook,
} from './webhooks/webhooks.ts'

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
  checkSubscribeReadiness.ofTerms,
  checkSubscribeReadiness.byId,
  prepareSubscribe.ofTerms,
  prepareSubscribe.byId,
  prepareUnsubscribe.ofTerms,
  prepareUnsubscribe.byId,
  prepareExtendCoverage,
  prepareRevokeAllowance,
  prepareCancelSubscription.ofTerms,
  prepareCancelSubscription.byId,
  prepareUnsubscribeByProvider.ofTerms,
  prepareUnsubscribeByProvider.byId,
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
