import { getAccountSubscriptions } from '@remit/engine/operations/accounts/getAccountSubscriptions'
import { getProviderProfile } from '@remit/engine/operations/accounts/getProviderProfile'
import { getAccountOutlook } from '@remit/engine/operations/outlook/getAccountOutlook'
import { getProviderOutlook, getSubscriptionOutlook } from '@remit/engine/operations/outlook/getOutlooks'
import { prepareCarryPermit } from '@remit/engine/operations/prepare/permit/prepareCarryPermit'
import { prepareCreateSubscription } from '@remit/engine/operations/prepare/prepareCreateSubscription'
import { prepareExtendCoverage } from '@remit/engine/operations/prepare/prepareExtendCoverage'
import { prepareRevokeAllowance } from '@remit/engine/operations/prepare/prepareRevokeAllowance'
import { prepareUnsubscribe } from '@remit/engine/operations/prepare/prepareUnsubscribe'
import {
  prepareCancelSubscription,
  prepareEditDetails,
  prepareEditProviderDetails,
  prepareUnsubscribeByProvider,
} from '@remit/engine/operations/prepare/provider'
import { checkRemitReadiness, prepareRemit } from '@remit/engine/operations/prepare/remit/prepareRemit'
import {
  checkSubscribeReadiness,
  prepareSubscribe,
} from '@remit/engine/operations/prepare/subscribe/prepareSubscribe'
import { prepareCarryTopUp } from '@remit/engine/operations/prepare/topUp/prepareCarryTopUp'
import { prepareTopUp } from '@remit/engine/operations/prepare/topUp/prepareTopUp'
import { getApprovedToken, listApprovedTokens } from '@remit/engine/operations/protocol/approvedTokens'
import { getProtocolState } from '@remit/engine/operations/protocol/getProtocolState'
import { getTransactionStatus } from '@remit/engine/operations/protocol/getTransactionStatus'
import { simulateRemit } from '@remit/engine/operations/protocol/simulateRemit'
import {
  getSubscriptionDetails,
  getSubscriptionDetailsHistory,
} from '@remit/engine/operations/subscriptions/details'
import { getSubscribers } from '@remit/engine/operations/subscriptions/getSubscribers'
import { getFeeBalance } from '@remit/engine/operations/subscriptions/getSubscription'
import { getSubscriptionsDue } from '@remit/engine/operations/subscriptions/getSubscriptionsDue'
import type { Operation } from '../calls/serviceOperation.ts'
import { getAccountWithCalendars, getSubscriptionWithCalendar } from './calendars.ts'
import { getMembership } from './getMembership.ts'
import { getAccountActivity, getSubscriptionHistory } from './histories.ts'
import { createKey, getKey, getKeyUsage, listKeys, renameKey, revokeKey, rotateKey } from './keys.ts'
import { listEvents } from './listEvents.ts'
import { listProviderMembers } from './listProviderMembers.ts'
import { createPass, getPassKeys } from './passes.ts'
import { getPayment, listProviderPayments } from './payments.ts'
import { listRescues, offerRescue, withdrawRescue } from './rescues.ts'
import { getProviderRevenue, getSubscriptionRevenue } from './revenue.ts'
import { searchSubscriptions } from './searchSubscriptions.ts'
import { getCatalog, getOpenApi, getReady, getService, getStatus, listChains } from './service.ts'
import { getSession, getSignInTerms, signIn, signOut } from './sessions.ts'
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
} from './webhooks.ts'

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
  listProviderMembers,
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
  prepareCarryPermit,
  prepareTopUp,
  prepareCarryTopUp,
  offerRescue,
  listRescues,
  withdrawRescue,
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
