export { ProofRefusedError } from '@remit/protocol/inclusion/ProofRefusedError'
export type { CallOptions, EachOptions } from './call/CallOptions.ts'
export type { Wait } from './call/Wait.ts'
export { type ApiClient, createApiClient, readAnswer } from './createApiClient.ts'
export { type Client, type ClientOptions, createClient } from './createClient.ts'
export { ForbiddenError, RateLimitedError, UnauthorizedError } from './errors/access.ts'
export { CursorStaleError, NotFoundError, ValidationError } from './errors/input.ts'
export { NeedsServiceError } from './errors/NeedsServiceError.ts'
export {
  NotReadyError,
  type RevertReason,
  SimulationFailedError,
  SubscriptionMismatchError,
} from './errors/prepare.ts'
export { RemitError } from './errors/RemitError.ts'
export { NetworkError, TimeoutError, UnexpectedAnswerError } from './errors/transport.ts'
export {
  BlockNotSeenError,
  IndexUnavailableError,
  UnavailableError,
  UpstreamError,
} from './errors/upstream.ts'
export type {
  RemitEvent,
  RescueOffered,
  WebhookChallenge,
  WebhookPaused,
  WebhookTest,
} from './events/decodeEvent.ts'
export type { StreamRequest } from './events/followStream.ts'
export type { Events, StreamOptions } from './events/streamEvents.ts'
export type * from './generated/api.ts'
export type { RemitErrorCode } from './generated/errors.ts'
export type { NodeOptions, OwnNode } from './node/OwnNode.ts'
export { type PassRefusal, PassRefusedError } from './passes/PassRefusedError.ts'
export type { PassKeySet } from './passes/passKeys.ts'
export { type Pass, type VerifyPassOptions, verifyPass } from './passes/verifyPass.ts'
export type { Verify } from './proofs/Verify.ts'
export type { BudgetEntry } from './sending/budget/Budget.ts'
export type { AgreedTerms } from './sending/chain/readSubscription.ts'
export {
  CallsFailedError,
  ChainReadError,
  MissingEventError,
  NoAccountError,
  NotSentError,
  OverBudgetError,
  PreparedExpiredError,
  SendingInterruptedError,
  StillPendingError,
  TermsDifferError,
  type TermsDifference,
  TransactionReplacedError,
  TransactionRevertedError,
  UnknownContractError,
  UnsafeTransactionError,
  UserRejectedError,
  WalletFailedError,
  WouldRevertError,
  WrongChainError,
} from './sending/errors.ts'
export type { Flows } from './sending/flows/createFlows.ts'
export type { Created, CreateSubscriptionRequest } from './sending/flows/createSubscription.ts'
export type {
  DetailsEdited,
  EditDetailsRequest,
  EditProviderDetailsRequest,
  ProviderDetailsEdited,
} from './sending/flows/editing.ts'
export type { CoverageExtended, ExtendCoverageRequest } from './sending/flows/extendCoverage.ts'
export type { Flow } from './sending/flows/Flow.ts'
export type {
  Cancelled,
  Refunded,
  RemoveSubscriberRequest,
  SubscriptionRequest,
} from './sending/flows/leaving.ts'
export type { Readiness } from './sending/flows/Readiness.ts'
export type { RemitRequest, Remitted } from './sending/flows/remit.ts'
export type { RemitFlow } from './sending/flows/remitFlow.ts'
export type { RevokeAllowanceRequest, Revoked } from './sending/flows/revokeAllowance.ts'
export type { Subscribed, SubscribeRequest } from './sending/flows/subscribe.ts'
export type {
  CarryPermitsRequest,
  PermitCarried,
  PermitFlow,
  PermitsCarried,
  PreparedCarries,
  SignedPermit,
  SignOptions,
} from './sending/permits/SignedPermit.ts'
export {
  type AllowanceRemains,
  SendingError,
  type SendingErrorCode,
  type SentTransaction,
} from './sending/SendingError.ts'
export type { MinedTransaction, Outcome } from './sending/send/concludeFlow.ts'
export type { FlowRequest } from './sending/send/FlowDefinition.ts'
export type {
  SignedTopUp,
  SignTopUpOptions,
  ToppedUp,
  TopUpFlow,
  TopUpRequest,
} from './sending/topUps/SignedTopUp.ts'
export type { ProtocolEvent, SubscriptionEvent, SubscriptionEventName } from './sending/wait/ProtocolEvent.ts'
export type {
  Progress,
  Reader,
  SendOptions,
  SendPreparedOptions,
  Sent,
  Waiting,
  Wallet,
} from './sending/wallet/Wallet.ts'
export type { Change, Watch, WatchOptions } from './watch/Watch.ts'
export {
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookHeaders,
  type WebhookMessage,
  WebhookVerificationError,
} from './webhooks/verifyWebhook.ts'
