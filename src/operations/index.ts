import type { Operation } from '../core/serviceOperation.ts'
import { getAccountSubscriptions } from './accounts/getAccountSubscriptions.ts'
import { getProviderProfile } from './accounts/getProviderProfile.ts'
import { getAccountWithCalendars, getSubscriptionWithCalendar } from './calendars.ts'
import { listEvents } from './events/listEvents.ts'
import { getAccountActivity, getSubscriptionHistory } from './history/events.ts'
import { getTransactionStatus } from './history/getTransactionStatus.ts'
import { createKey, getKey, getKeyUsage, listKeys, renameKey, revokeKey, rotateKey } from './keys/keys.ts'
import { getAccountOutlook } from './outlook/getAccountOutlook.ts'
import { getProviderOutlook, getSubscriptionOutlook } from './outlook/getOutlooks.ts'
import { createPass, getPassKeys } from './passes/passes.ts'
import { getMembership } from './payments/getMembership.ts'
import { getPayment, listProviderPayments } from './payments/payments.ts'
import { getProviderRevenue, getSubscriptionRevenue } from './payments/revenue.ts'
import { prepareExtendCoverage } from './prepare/extend/prepareExtendCoverage.ts'
import { prepareRevokeAllowance } from './prepare/leave/prepareRevokeAllowance.ts'
import { prepareUnsubscribe } from './prepare/leave/prepareUnsubscribe.ts'
import { prepareCreateSubscription } from './prepare/provider/prepareCreateSubscription.ts'
import {
  prepareCancelSubscription,
  prepareEditDetails,
  prepareEditProviderDetails,
  prepareUnsubscribeByProvider,
} from './prepare/provider/provider.ts'
import { checkRemitReadiness, prepareRemit } from './prepare/remit/prepareRemit.ts'
import { checkSubscribeReadiness, prepareSubscribe } from './prepare/subscribe/prepareSubscribe.ts'
import { getApprovedToken, listApprovedTokens } from './protocol/approvedTokens.ts'
import { getProtocolState } from './protocol/getProtocolState.ts'
import { getStatus } from './service/getStatus.ts'
import { getCatalog, getOpenApi, getReady, getService, listChains } from './service/service.ts'
import { getSession, getSignInTerms, signIn, signOut } from './sessions/sessions.ts'
import { simulateRemit } from './simulate/simulateRemit.ts'
import { getSubscriptionDetails, getSubscriptionDetailsHistory } from './subscriptions/details.ts'
import { getSubscribers } from './subscriptions/getSubscribers.ts'
import { getFeeBalance } from './subscriptions/getSubscription.ts'
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
  getSubscriptionWithCalendar,
  getSubscriptionDetails,
  getSubscriptionDetailsHistory,
  getSubscriptionHistory,
  getSubscribers,
  getMembership,
  getFeeBalance,
  getSubscriptionRevenue,
  getPayment,
  getAccountWithCalendars,
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
