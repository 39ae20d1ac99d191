import type { LimitHit, RefusedAnswer } from '@remit/engine/rpc/limits/limitIn'

/** One refusal as a node or a gateway words it. */
export interface LimitWords {
  readonly node: string
  /** Where it was seen: a client and its version, or a public page. */
  readonly seen: string
  readonly refusal: RefusedAnswer
  readonly means: LimitHit | undefined
}

/** What nodes say to too large a batch, body or answer, and to too many requests. */
export const LIMIT_WORDS: readonly LimitWords[] = [
  {
    node: 'geth, batch',
    seen: 'geth 1.13 and newer, --rpc.batch-request-limit',
    refusal: { status: 200, code: -32600, message: 'batch too large' },
    means: { kind: 'batch' },
  },
  {
    node: 'geth, answer',
    seen: 'geth 1.13 and newer, --rpc.batch-response-max-size',
    refusal: { status: 200, code: -32003, message: 'response too large' },
    means: { kind: 'answer' },
  },
  {
    node: 'geth, body',
    seen: 'geth, HTTP bodies of more than 5 MB',
    refusal: { status: 413, message: 'content length too large (6000000>5242880)' },
    means: { kind: 'body' },
  },
  {
    node: 'reth, no batches',
    seen: 'jsonrpsee, types/src/error.rs',
    refusal: { status: 200, code: -32005, message: 'Batched requests are not supported by this server' },
    means: { kind: 'batch', granted: 1 },
  },
  {
    node: 'reth, batch',
    seen: 'jsonrpsee pull request 1107',
    refusal: {
      status: 200,
      code: -32010,
      message: 'The batch request was too large',
      data: 'Exceeded max limit of 25',
    },
    means: { kind: 'batch', granted: 25 },
  },
  {
    node: 'reth, answer of a batch',
    seen: 'jsonrpsee pull request 1107',
    refusal: { status: 200, code: -32011, message: 'The batch response was too large' },
    means: { kind: 'answer' },
  },
  {
    node: 'reth, body',
    seen: 'jsonrpsee, types/src/error.rs',
    refusal: {
      status: 200,
      code: -32007,
      message: 'Request is too big',
      data: 'Exceeded max limit of 15728640',
    },
    means: { kind: 'body' },
  },
  {
    node: 'reth, answer',
    seen: 'jsonrpsee, types/src/error.rs',
    refusal: {
      status: 200,
      code: -32008,
      message: 'Response is too big',
      data: 'Exceeded max limit of 167772160',
    },
    means: { kind: 'answer' },
  },
  {
    node: 'erigon, batch',
    seen: 'erigon 3, --rpc.batch.limit; its issue 18074',
    refusal: {
      status: 200,
      code: -32600,
      message: 'batch limit 100 exceeded (can increase by --rpc.batch.limit). Requested batch of size: 140',
    },
    means: { kind: 'batch', granted: 100 },
  },
  {
    node: 'nethermind, batch',
    seen: 'nethermind pull request 5122',
    refusal: { status: 200, code: -32005, message: 'Batch size limit exceeded' },
    means: { kind: 'batch' },
  },
  {
    node: 'besu, batch',
    seen: 'besu issue 4951',
    refusal: {
      status: 400,
      code: -32602,
      message: 'Number of requests in batch exceeds --rpc-max-batch-size.',
    },
    means: { kind: 'batch' },
  },
  {
    node: 'Optimism and Base, batch',
    seen: 'proxyd, backend.go',
    refusal: { status: 400, code: -32014, message: 'too many RPC calls in batch request' },
    means: { kind: 'batch' },
  },
  {
    node: 'Optimism and Base, body',
    seen: 'proxyd, backend.go',
    refusal: { status: 413, code: -32021, message: 'request body too large' },
    means: { kind: 'body' },
  },
  {
    node: 'Optimism and Base, answer',
    seen: 'proxyd, backend.go',
    refusal: { status: 500, code: -32020, message: 'backend response too large' },
    means: { kind: 'answer' },
  },
  {
    node: 'Optimism and Base, rate',
    seen: 'proxyd, backend.go; base/node issue 368',
    refusal: { status: 429, code: -32016, message: 'over rate limit' },
    means: { kind: 'rate' },
  },
  {
    node: 'Optimism and Base, capacity',
    seen: 'proxyd, backend.go',
    refusal: { status: 429, code: -32012, message: 'backend is over capacity' },
    means: { kind: 'rate' },
  },
  {
    node: 'op-geth behind proxyd, rate',
    seen: 'base/node issue 368',
    refusal: {
      status: 200,
      code: -32000,
      message: '429 Too Many Requests: {"error":{"code":-32016,"message":"over rate limit"}}',
    },
    means: { kind: 'rate' },
  },
  {
    node: 'dRPC and 1RPC, batch',
    seen: 'dRPC’s free tier, HTTP 500 with code 31',
    refusal: {
      status: 500,
      code: 31,
      message:
        'Batch of more than 3 requests are not allowed on free tier, to use this feature register paid account at drpc.org',
    },
    means: { kind: 'batch', granted: 3 },
  },
  {
    node: 'a gateway, batch',
    seen: 'bodhi.js pull request 383',
    refusal: { status: 200, code: -32600, message: 'Exceeded maximum batch size: 10' },
    means: { kind: 'batch', granted: 10 },
  },
  {
    node: 'Alchemy, rate',
    seen: 'latticexyz/mud issue 1522',
    refusal: {
      status: 429,
      code: 429,
      message:
        'Your app has exceeded its compute units per second capacity. If you have retries enabled, you can safely ignore this message.',
    },
    means: { kind: 'rate' },
  },
  {
    node: 'Alchemy, rate within a batch',
    seen: 'viem issue 3680: status 200, and the code in each answer',
    refusal: {
      status: 200,
      code: 429,
      message: 'Your app has exceeded its compute units per second capacity.',
    },
    means: { kind: 'rate' },
  },
  {
    node: 'Infura, rate',
    seen: 'status-go pull request 4807',
    refusal: {
      status: 429,
      code: -32005,
      message: 'exceeded project rate limit',
      data: { rate: { allowed_rps: 5, backoff_seconds: 30, current_rps: 5.2 } },
    },
    means: { kind: 'rate', waitMs: 30_000 },
  },
  {
    node: 'Infura, day',
    seen: 'Infura’s documentation of rate limits',
    refusal: { status: 429, code: -32005, message: 'daily request count exceeded, request rate limited' },
    means: { kind: 'rate' },
  },
  {
    node: 'QuickNode, rate',
    seen: 'QuickNode’s documentation of error codes',
    refusal: {
      status: 429,
      code: -32007,
      message: '50/second request limit reached - reduce calls per second or upgrade your account',
    },
    means: { kind: 'rate' },
  },
  {
    node: 'QuickNode, credits',
    seen: 'latticexyz/mud issue 1522',
    refusal: { status: 200, code: -32012, message: 'credits limited to 6000/sec' },
    means: { kind: 'rate' },
  },
  {
    node: 'Chainstack, rate',
    seen: 'Chainstack’s documentation of limits',
    refusal: {
      status: 429,
      code: -32005,
      message: 'You’ve exceeded the RPS limit available on the current plan.',
      data: { try_again_in: '50.07ms' },
    },
    means: { kind: 'rate', waitMs: 51 },
  },
  {
    node: 'TheRPC, rate',
    seen: 'reown-com/blockchain-api pull request 1102',
    refusal: { status: 200, code: -32029, message: 'Rate limited' },
    means: { kind: 'rate' },
  },
  {
    node: 'Ankr, rate',
    seen: 'Ankr’s public endpoints',
    refusal: {
      status: 429,
      code: -32090,
      message: 'Too many requests, reason: call rate limit exhausted, retry in 10s',
    },
    means: { kind: 'rate' },
  },
  {
    node: 'dRPC, rate',
    seen: 'dRPC’s documentation of error codes',
    refusal: { status: 429, code: 15, message: 'Too many request, try again later' },
    means: { kind: 'rate' },
  },
  {
    node: 'Cloudflare, rate',
    seen: 'Cloudflare’s error 1015',
    refusal: { status: 429, message: 'error code: 1015', retryAfter: '7' },
    means: { kind: 'rate', waitMs: 7_000 },
  },
  {
    node: 'nginx, rate',
    seen: 'any gateway with Retry-After',
    refusal: { status: 429, retryAfter: '120' },
    means: { kind: 'rate', waitMs: 120_000 },
  },
  {
    node: 'nginx, body',
    seen: 'client_max_body_size',
    refusal: { status: 413 },
    means: { kind: 'body' },
  },
  {
    node: 'Infura, results',
    seen: 'Infura’s documentation of eth_getLogs: the code of its rate limit',
    refusal: {
      status: 200,
      code: -32005,
      message: 'query returned more than 10000 results. Try with this block range [0x1, 0x9].',
    },
    means: undefined,
  },
  {
    node: 'Infura, range',
    seen: 'INFURA/infura issue 237',
    refusal: { status: 200, code: -32602, message: 'range 1000000 exceeds limit of 10000' },
    means: undefined,
  },
  {
    node: 'a contract that reverts with such words',
    seen: 'anybody can deploy one',
    refusal: { status: 200, code: 3, message: 'execution reverted: rate limit of the vault' },
    means: undefined,
  },
  {
    node: 'a contract that reverts with words about batches',
    seen: 'anybody can deploy one',
    refusal: { status: 200, code: 3, message: 'execution reverted: batch limit 1 exceeded' },
    means: undefined,
  },
  {
    node: 'geth, any other refusal',
    seen: 'geth 1.16',
    refusal: { status: 200, code: -32000, message: 'header not found' },
    means: undefined,
  },
]

/** What nodes say where the gas of a call or of a simulation is above what they grant. `grants` 0: they do not say. */
export const GAS_WORDS: readonly {
  readonly node: string
  readonly seen: string
  readonly refusal: RefusedAnswer
  readonly grants: number | undefined
}[] = [
  {
    node: 'geth, a block’s calls',
    seen: 'geth 1.14 and newer, simulate.go: the first number is an address of its memory',
    refusal: { code: -38015, message: 'block gas limit reached: 824645763752 >= 30000000' },
    grants: 0,
  },
  {
    node: 'geth, nothing left for the next call',
    seen: 'geth 1.14 and newer, simulate.go',
    refusal: { code: -38013, message: 'intrinsic gas too low: have 5000, want 21064' },
    grants: 0,
  },
  {
    node: 'geth, estimate at its cap',
    seen: 'geth, --rpc.gascap',
    refusal: { code: -32000, message: 'gas required exceeds allowance (25000000)' },
    grants: 25_000_000,
  },
  {
    node: 'geth, a transaction’s cap',
    seen: 'geth 1.16, EIP-7825',
    refusal: { code: -32000, message: 'transaction gas limit too high (cap: 16777216, tx: 30000000)' },
    grants: 16_777_216,
  },
  {
    node: 'reth, a simulation’s gas',
    seen: 'reth 1.3 to 1.11, simulate.rs; paradigmxyz/reth, inconsistencies of eth_simulateV1',
    refusal: { code: -38026, message: 'Client adjustable limit reached' },
    grants: 0,
  },
  {
    node: 'reth, a block’s calls',
    seen: 'reth, simulate.rs',
    refusal: { code: -38015, message: 'Block gas limit exceeded by the block’s transactions' },
    grants: 0,
  },
  {
    node: 'reth, a call above the block',
    seen: 'revm’s CallerGasLimitMoreThanBlock',
    refusal: { code: -32003, message: 'caller gas limit exceeds the block gas limit' },
    grants: 0,
  },
  {
    node: 'reth, a transaction’s cap',
    seen: 'revm’s TxGasLimitGreaterThanCap',
    refusal: { code: -32003, message: 'transaction gas limit (30000000) is greater than the cap (16777216)' },
    grants: 16_777_216,
  },
  {
    node: 'hardhat, a transaction’s cap',
    seen: 'hardhat 2.28, eth_call',
    refusal: {
      code: -32000,
      message: 'transaction gas limit (1610612736) is greater than the cap (16777216)',
    },
    grants: 16_777_216,
  },
  {
    node: 'the standard’s code alone',
    seen: 'execution-apis, eth_simulateV1',
    refusal: { code: -38026, message: 'client limit exceeded' },
    grants: 0,
  },
  {
    node: 'geth, too many blocks',
    seen: 'geth 1.14 and newer, simulate.go: the same code',
    refusal: { code: -38026, message: 'too many blocks' },
    grants: undefined,
  },
  {
    node: 'any, a revert',
    seen: 'every client',
    refusal: { code: 3, message: 'execution reverted' },
    grants: undefined,
  },
]
