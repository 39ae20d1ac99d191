export { ProofRefusedError } from '@remit/protocol/inclusion/ProofRefusedError'
export type { CallOptions, EachOptions, Wait } from './call/CallOptions.ts'
export { type ApiClient, createApiClient, readAnswer } from './createApiClient.ts'
export { type Client, type ClientOptions, createClient } from './createClient.ts'
export {
  BlockNotSeenError,
  CursorStaleError,
  ForbiddenError,
  IndexUnavailableError,
  NeedsServiceError,
  NetworkError,
  NotFoundError,
  NotReadyError,
  RateLimitedError,
  RemitError,
  type RevertReason,
  SimulationFailedError,
  SubscriptionMismatchError,
  TimeoutError,
  UnauthorizedError,
  UnavailableError,
  UnexpectedAnswerError,
  UpstreamError,
  ValidationError,
} from './errors/RemitError.ts'
export type {
  RemitEvent,
  RescueOffered,
  WebhookChallenge,
  WebhookPaused,
  WebhookTest,
} from './events/decodeEvent.ts'
export type { StreamRequest } from './events/followStream.ts'
export type { Events, StreamOptions } from './events/streamEvents.ts'
export {
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookHeaders,
  type WebhookMessage,
  WebhookVerificationError,
} from './events/verifyWebhook.ts'
export type { Change, Watch, WatchOptions } from './events/Watch.ts'
export {
  type Pass,
  type PassKeySet,
  type PassRefusal,
  PassRefusedError,
  type VerifyPassOptions,
  verifyPass,
} from './gate/verifyPass.ts'
export type * from './generated/api.ts'
export type { RemitErrorCode } from './generated/errors.ts'
export type { NodeOptions, OwnNode } from './node/OwnNode.ts'
export type { Verify } from './proofs/Verify.ts'
export type { AgreedTerms } from './sending/ChainReads.ts'
export type { BudgetEntry } from './sending/check/Budget.ts'
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
export type {
  CoverageExtended,
  ExtendCoverageRequest,
  RevokeAllowanceRequest,
  Revoked,
} from './sending/flows/allowance.ts'
export type { Flows } from './sending/flows/createFlows.ts'
export type { Created, CreateSubscriptionRequest } from './sending/flows/createSubscription.ts'
export type {
  DetailsEdited,
  EditDetailsRequest,
  EditProviderDetailsRequest,
  ProviderDetailsEdited,
} from './sending/flows/editing.ts'
export type { Flow, Readiness } from './sending/flows/Flow.ts'
export type {
  Cancelled,
  Refunded,
  RemoveSubscriberRequest,
  SubscriptionRequest,
} from './sending/flows/leaving.ts'
export type { RemitFlow, RemitRequest, Remitted } from './sending/flows/remit.ts'
export type { Subscribed, SubscribeRequest } from './sending/flows/subscribe.ts'
export {
  type AllowanceRemains,
  SendingError,
  type SendingErrorCode,
  type SentTransaction,
} from './sending/SendingError.ts'
export type { MinedTransaction, Outcome } from './sending/send/concludeFlow.ts'
export type { FlowRequest } from './sending/send/FlowDefinition.ts'
export type {
  CarryPermitsRequest,
  PermitCarried,
  PermitFlow,
  PermitsCarried,
  PreparedCarries,
  SignedPermit,
  SignOptions,
} from './sending/signed/SignedPermit.ts'
export type { OutstandingPermit } from './sending/signed/SignedPermits.ts'
export type {
  SignedTopUp,
  SignTopUpOptions,
  ToppedUp,
  TopUpFlow,
  TopUpRequest,
} from './sending/signed/SignedTopUp.ts'
export type { ProtocolEvent, SubscriptionEvent, SubscriptionEventName } from './sending/wait/decodeEvents.ts'
export type {
  Progress,
  Reader,
  SendOptions,
  SendPreparedOptions,
  Sent,
  Waiting,
  Wallet,
} from './sending/wallet/Wallet.ts'
