// Generated from packages/engine/src/operations by packages/service/src/clientGenerator/main.ts. Do not edit.
import type { ChainOperation } from '@remit/engine/declare/operation'

/** An operation that a node alone can answer. */
export interface NodeOperation {
  /** Whether an index would know more: a service that has one is asked instead, where there is one. */
  readonly readsIndex?: true
  readonly load: () => Promise<ChainOperation>
}

export const nodeOperations: Readonly<Record<string, NodeOperation>> = {
  getAccount: { readsIndex: true, load: async () => (await import('@remit/engine/operations/accounts/getAccount')).getAccount },
  getAccountSubscriptions: { readsIndex: true, load: async () => (await import('@remit/engine/operations/accounts/getAccountSubscriptions')).getAccountSubscriptions },
  getProviderProfile: { readsIndex: true, load: async () => (await import('@remit/engine/operations/accounts/getProviderProfile')).getProviderProfile },
  getAccountOutlook: { readsIndex: true, load: async () => (await import('@remit/engine/operations/outlook/getAccountOutlook')).getAccountOutlook },
  prepareCarryPermit: { load: async () => (await import('@remit/engine/operations/prepare/permit/prepareCarryPermit')).prepareCarryPermit },
  prepareCreateSubscription: { load: async () => (await import('@remit/engine/operations/prepare/prepareCreateSubscription')).prepareCreateSubscription },
  prepareExtendCoverage: { load: async () => (await import('@remit/engine/operations/prepare/prepareExtendCoverage')).prepareExtendCoverage },
  prepareRevokeAllowance: { load: async () => (await import('@remit/engine/operations/prepare/prepareRevokeAllowance')).prepareRevokeAllowance },
  prepareUnsubscribeById: { load: async () => (await import('@remit/engine/operations/prepare/prepareUnsubscribe')).prepareUnsubscribe.byId },
  prepareUnsubscribe: { load: async () => (await import('@remit/engine/operations/prepare/prepareUnsubscribe')).prepareUnsubscribe.ofTerms },
  prepareCancelSubscriptionById: { load: async () => (await import('@remit/engine/operations/prepare/provider')).prepareCancelSubscription.byId },
  prepareCancelSubscription: { load: async () => (await import('@remit/engine/operations/prepare/provider')).prepareCancelSubscription.ofTerms },
  prepareEditDetails: { load: async () => (await import('@remit/engine/operations/prepare/provider')).prepareEditDetails },
  prepareEditProviderDetails: { load: async () => (await import('@remit/engine/operations/prepare/provider')).prepareEditProviderDetails },
  prepareUnsubscribeByProviderById: { load: async () => (await import('@remit/engine/operations/prepare/provider')).prepareUnsubscribeByProvider.byId },
  prepareUnsubscribeByProvider: { load: async () => (await import('@remit/engine/operations/prepare/provider')).prepareUnsubscribeByProvider.ofTerms },
  checkRemitReadiness: { load: async () => (await import('@remit/engine/operations/prepare/remit/prepareRemit')).checkRemitReadiness },
  prepareRemit: { load: async () => (await import('@remit/engine/operations/prepare/remit/prepareRemit')).prepareRemit },
  checkSubscribeReadinessById: { load: async () => (await import('@remit/engine/operations/prepare/subscribe/prepareSubscribe')).checkSubscribeReadiness.byId },
  checkSubscribeReadiness: { load: async () => (await import('@remit/engine/operations/prepare/subscribe/prepareSubscribe')).checkSubscribeReadiness.ofTerms },
  prepareSubscribeById: { load: async () => (await import('@remit/engine/operations/prepare/subscribe/prepareSubscribe')).prepareSubscribe.byId },
  prepareSubscribe: { load: async () => (await import('@remit/engine/operations/prepare/subscribe/prepareSubscribe')).prepareSubscribe.ofTerms },
  prepareCarryTopUp: { load: async () => (await import('@remit/engine/operations/prepare/topUp/prepareCarryTopUp')).prepareCarryTopUp },
  prepareTopUp: { load: async () => (await import('@remit/engine/operations/prepare/topUp/prepareTopUp')).prepareTopUp },
  getApprovedToken: { load: async () => (await import('@remit/engine/operations/protocol/approvedTokens')).getApprovedToken },
  listApprovedTokens: { readsIndex: true, load: async () => (await import('@remit/engine/operations/protocol/approvedTokens')).listApprovedTokens },
  getProtocolState: { load: async () => (await import('@remit/engine/operations/protocol/getProtocolState')).getProtocolState },
  getTransactionStatus: { load: async () => (await import('@remit/engine/operations/protocol/getTransactionStatus')).getTransactionStatus },
  simulateRemit: { load: async () => (await import('@remit/engine/operations/protocol/simulateRemit')).simulateRemit },
  getSubscriptionDetails: { readsIndex: true, load: async () => (await import('@remit/engine/operations/subscriptions/details')).getSubscriptionDetails },
  getSubscriptionDetailsHistory: { readsIndex: true, load: async () => (await import('@remit/engine/operations/subscriptions/details')).getSubscriptionDetailsHistory },
  getSubscribers: { readsIndex: true, load: async () => (await import('@remit/engine/operations/subscriptions/getSubscribers')).getSubscribers },
  getFeeBalance: { load: async () => (await import('@remit/engine/operations/subscriptions/getSubscription')).getFeeBalance },
  getSubscription: { load: async () => (await import('@remit/engine/operations/subscriptions/getSubscription')).getSubscription },
  getSubscriptionsDue: { readsIndex: true, load: async () => (await import('@remit/engine/operations/subscriptions/getSubscriptionsDue')).getSubscriptionsDue },
}
