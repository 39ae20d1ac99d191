export * from './flows.ts'
export {
  type RemitAnswer,
  type RemitInput,
  type RemitReadName,
  type RemitReads,
  type RemitScope,
  type RemitSearchInput,
  remitAccountQueryOptions,
  remitKey,
  remitMembershipQueryOptions,
  remitOutlookQueryOptions,
  remitQueryKey,
  remitQueryOptions,
  remitSearchQueryOptions,
  remitSubscriptionQueryOptions,
} from './queryOptions.ts'
export { RemitProvider, type RemitProviderProps, useRemitClient } from './RemitProvider.ts'
export * from './reads.ts'
export type {
  FlowName,
  FlowOutcome,
  FlowParameters,
  FlowPhase,
  FlowPrepared,
  FlowRequest,
  FlowResult,
  FlowVariables,
} from './useFlow.ts'
export { type RemitEventsParameters, useRemitEvents } from './useRemitEvents.ts'
