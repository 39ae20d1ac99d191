// Generated from packages/engine/src/errors by packages/service/src/clientGenerator/main.ts. Do not edit.
/** The codes of errors that this version of the client knows of. They are permanent. */
export type RemitErrorCode =
  /** 503: no admin secret of at least 16 characters is set. */
  | 'ADMIN_NOT_CONFIGURED'
  /** 503: the operator has switched the API off. */
  | 'API_DISABLED'
  /** 422: the token moves no money by a signature, or by none of a contract wallet. */
  | 'AUTHORIZATION_UNSUPPORTED'
  /** 422: the token would refuse the signed transfer. */
  | 'AUTHORIZATION_VOID'
  /** 503: a block has not been seen in time. */
  | 'BLOCK_NOT_SEEN'
  /** 503: the operator named a contract that is not the protocol’s, or nodes of another chain. */
  | 'CHAIN_MISCONFIGURED'
  /** 409: a block that the cursor stands on is gone, or too much has happened since. */
  | 'CURSOR_STALE'
  /** 403: the operator has switched developer keys off. */
  | 'DEVELOPER_KEYS_DISABLED'
  /** 403: the Host or the Origin is not allowed, or a page embeds what is only opened. */
  | 'FORBIDDEN'
  /** 503: what remit will do could not be simulated for a minute. */
  | 'FORECAST_UNAVAILABLE'
  /** 431: the headers are too large. */
  | 'HEADERS_TOO_LARGE'
  /** 502: the index of search and history could not be read. */
  | 'INDEX_UNAVAILABLE'
  /** 500: the service broke a promise of its own. */
  | 'INTERNAL_ERROR'
  /** 503: the key store is away, or takes no writes. */
  | 'KEYS_UNAVAILABLE'
  /** 503: the counters of the limits have been away for longer than the grace. */
  | 'LIMITER_UNAVAILABLE'
  /** 409: the subject holds as many live keys as it may. */
  | 'MAX_KEYS'
  /** 409: as many permits are kept of the wallet, for the provider or from the network address as may be. */
  | 'MAX_RESCUES'
  /** 409: the subject has as many webhooks as it may. */
  | 'MAX_WEBHOOKS'
  /** 405: the route exists for other methods. */
  | 'METHOD_NOT_ALLOWED'
  /** 406: the client accepts no form of the answer. */
  | 'NOT_ACCEPTABLE'
  /** 501: the service runs at the edge, without what this needs: an index, keys, a store. */
  | 'NOT_AT_EDGE'
  /** 403: what the membership has paid for has ended. */
  | 'NOT_ENTITLED'
  /** 404: the subscription does not exist on the chain; 404: the protocol has not approved the token; 404: the account never subscribed to the subscription; 404: the log belongs to no payment that the index knows; 404: there is no such key; 404: there is no such route; 404: the wallet has no such permit here; 404: the operator has not switched rescues on; 404: the webhook has no delivery of this event; 404: the caller has no such webhook. */
  | 'NOT_FOUND'
  /** 422: preconditions on chain fail. */
  | 'NOT_READY'
  /** 403: the operator has not switched passes on. */
  | 'PASSES_OFF'
  /** 413: the body is over 64 KiB. */
  | 'PAYLOAD_TOO_LARGE'
  /** 422: the token takes no permit, none of a contract wallet, or none of this amount. */
  | 'PERMIT_UNSUPPORTED'
  /** 422: the token would refuse the permit. */
  | 'PERMIT_VOID'
  /** 403: the operator has not opened the portal, or not to this wallet. */
  | 'PORTAL_CLOSED'
  /** 422: the node does not give what the proof is made of. */
  | 'PROOF_UNAVAILABLE'
  /** 422: the chain, or its contract, has a form that no proof can be made of. */
  | 'PROOF_UNSUPPORTED'
  /** 429: a limit of the lane is reached. */
  | 'RATE_LIMITED'
  /** 408: the request took too long to arrive. */
  | 'REQUEST_TIMEOUT'
  /** 503: the process is draining. */
  | 'SHUTTING_DOWN'
  /** 401: the signed message does not fit this service, is out of date, was used before, or is not signed by its wallet. */
  | 'SIGN_IN_FAILED'
  /** 422: the simulation reverts. */
  | 'SIMULATION_FAILED'
  /** 502: no node of the chain has eth_simulateV1. */
  | 'SIMULATION_UNSUPPORTED'
  /** 422: the given terms differ from the chain's. */
  | 'SUBSCRIPTION_MISMATCH'
  /** 503: every connection that there is room for is being worked for. */
  | 'TOO_MANY_CONNECTIONS'
  /** 503: the process holds as many event streams and long polls as it has room for. */
  | 'TOO_MANY_STREAMS'
  /** 401: the credentials are not live ones. */
  | 'UNAUTHORIZED'
  /** 415: the body is not declared as JSON in UTF-8. */
  | 'UNSUPPORTED_MEDIA_TYPE'
  /** 502: the contract is set to a day after the year 9999; 502: the chain could not be asked; 502: a view of the contract cannot be read. */
  | 'UPSTREAM_ERROR'
  /** 504: the chain was too slow to answer. */
  | 'UPSTREAM_TIMEOUT'
  /** 414: the address is too long. */
  | 'URI_TOO_LONG'
  /** 400: the input does not fit its schema. */
  | 'VALIDATION_ERROR'
  /** 403: the operator has switched webhooks off. */
  | 'WEBHOOKS_DISABLED'
  /** 422: the URL has not answered the challenge with its text. */
  | 'WEBHOOK_UNPROVEN'
