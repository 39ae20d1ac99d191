import { trials } from '../../support/runner/trials.ts'
import { inventsHeads, laggingItems, standsStill } from './laggingItems.ts'
import {
  batchesOf,
  bodiesOf,
  busyEvery,
  callGasUpTo,
  ignoredOverrides,
  lacks,
  logsOverBlocks,
  logsUpTo,
  looseDress,
  noFinality,
  noOverrides,
  numbersOnly,
  type Rule,
  revertsAs,
} from './rules.ts'
import { rethSimulation, simulationGasUpTo } from './simulation.ts'

/** One line of a profile: what such a node does otherwise, and where that is told of. */
export interface ProfileLine {
  /** For operators, as half a sentence. */
  readonly says: string
  readonly source: string
  /** A rule may keep count, so each node gets its own. */
  readonly makeRule: () => Rule
  /** What is poorer on such a node although no answer says so. */
  readonly differs?: NamedDifference
}

export interface NamedDifference {
  /** The fields that differ, wherever they stand. */
  readonly keys: readonly string[]
  readonly sentence: string
}

/** A kind of node. */
export interface Profile {
  /** In the names of tests and in the table. */
  readonly name: string
  readonly title: string
  readonly lines: readonly ProfileLine[]
  /** Its URL comes first, and behind it that of a node that lacks nothing. */
  readonly hasOtherBeside?: true
  /** What it answers depends on which of its nodes happens to be asked: the guide shows one run of many. */
  readonly isUnsteady?: true
}

/** The chains of these tests are so much smaller than a real one, and so are the limits on their logs. */
const SCALE = 1_000

const line = (says: string, source: string, makeRule: () => Rule): ProfileLine => ({ says, source, makeRule })
const unsupported = (method: string) => ({
  code: -32601,
  message: `the method ${method} does not exist/is not available`,
})
const hex = (number: number) => `0x${number.toString(16)}`

const noSimulation = line('has no eth_simulateV1', 'https://github.com/erigontech/erigon/issues/9881', () =>
  lacks(['eth_simulateV1'], unsupported),
)
const overridesRefused = line(
  'refuses state overrides',
  'https://github.com/node-real/bsc-erigon/issues/505',
  () =>
    noOverrides(['eth_call', 'eth_estimateGas'], {
      code: -32602,
      message: 'too many arguments, want at most 2',
    }),
)
const numbers = line(
  'takes a block by its number only (no EIP-1898)',
  'https://github.com/0xPolygon/polygon-edge/issues/253',
  () => numbersOnly({ code: -32602, message: 'Invalid Params' }),
)
const finalityUnknown: ProfileLine = {
  ...line('knows no finalized block', 'https://github.com/node-real/bsc-erigon/issues/376', () =>
    noFinality({ error: { code: -39001, message: 'Unknown block' } }),
  ),
  differs: {
    keys: ['finalized', 'finality'],
    sentence:
      '`finalized` is true, and `finality` is `final`, from `FINALITY_DEPTH_<id>` blocks on, which is later than the chain says it.',
  },
}
const batchesOfThree = line('takes batches of 3 at most', 'https://github.com/zama-ai/relayer-sdk', () =>
  batchesOf(3, (most) => ({
    status: 500,
    error: { code: 31, message: `Batch of more than ${most} requests are not allowed on free tier` },
  })),
)
const fiveBlocks = line(
  'gives the logs of 5 blocks at once',
  'https://www.quicknode.com/docs/kaia/eth_getLogs',
  () => logsOverBlocks(5, () => ({ code: -32615, message: 'eth_getLogs is limited to a 5 range' })),
)
const replicas = line(
  'spreads the items of a batch over two nodes, of which one lags a block behind',
  'https://github.com/latticexyz/mud/pull/3394',
  laggingItems,
)

const WORST = [batchesOfThree, fiveBlocks, noSimulation, overridesRefused, numbers, finalityUnknown]

/**
 * The kinds of nodes that the service is held against. Facts of public documents, as these told them in 2026. Every
 * run of the tests asks the first seven, and a nightly one all.
 */
export const PROFILES: readonly Profile[] = [
  {
    name: 'reth',
    title: 'reth 1.11',
    lines: [
      line(
        'simulates no block that is larger than the chain’s or than 50 million gas',
        'https://github.com/paradigmxyz/reth/pull/23601',
        () => rethSimulation(50_000_000n),
      ),
      line('gives the logs of 100,000 blocks at once', 'https://github.com/circlefin/arc-node/pull/383', () =>
        logsOverBlocks(100_000, () => ({ code: -32602, message: 'query exceeds max block range 100000' })),
      ),
      line('gives 20,000 logs at once', 'https://github.com/foundry-rs/foundry/issues/12687', () =>
        logsUpTo(20_000 / SCALE, ({ from, fitting }) => ({
          code: -32602,
          message: `query exceeds max results 20000, retry with the range ${from}-${fitting}`,
        })),
      ),
    ],
  },
  {
    name: 'batch-3',
    title: 'a free plan with batches of 3 (dRPC)',
    lines: [
      batchesOfThree,
      line(
        'gives the logs of 10,000 blocks at once',
        'https://github.com/foundry-rs/foundry/issues/12687',
        () =>
          logsOverBlocks(10_000 / SCALE, ({ most }) => ({
            code: 35,
            message: `ranges over ${most} blocks are not supported on freetier`,
          })),
      ),
    ],
  },
  {
    name: 'still',
    title: 'a first URL that stands still, and a second one that does not',
    hasOtherBeside: true,
    lines: [
      line(
        'stopped 20 blocks ago, and names its last block as the newest',
        'https://github.com/hyperlane-xyz/hyperlane-monorepo/issues/2189',
        () => standsStill(20),
      ),
    ],
  },
  {
    name: 'ahead',
    title: 'a first URL that is ahead of what there is, and a second one that is not',
    hasOtherBeside: true,
    lines: [
      line('names a newest block that nobody has', 'https://github.com/Aimeedeer/realtps/issues/77', () =>
        inventsHeads(30),
      ),
    ],
  },
  {
    name: 'no-batches',
    title: 'a gateway that takes no batches, and says so in a body of its own',
    lines: [
      line(
        'refuses every batch with HTTP 400 and no JSON-RPC',
        'https://github.com/ethereum-optimism/optimism/issues/2021',
        () =>
          batchesOf(1, () => ({
            status: 400,
            body: JSON.stringify({ error: 'batch requests are not supported' }),
          })),
      ),
    ],
  },
  {
    name: 'loose',
    title: 'a gateway in a loose dress',
    lines: [
      line(
        'answers with `"error": null` beside results, ids as texts, in any order, and one answer twice',
        'https://github.com/0xPolygon/cdk-data-availability/pull/124',
        looseDress,
      ),
    ],
  },
  {
    name: 'calls-only',
    title: 'a node with neither eth_simulateV1 nor state overrides',
    lines: [noSimulation, overridesRefused],
  },
  {
    name: 'erigon',
    title: 'erigon before 3.1',
    lines: [
      noSimulation,
      line(
        'runs calls as if no state were overridden',
        'https://github.com/erigontech/erigon/pull/16806',
        ignoredOverrides,
      ),
    ],
  },
  {
    name: 'nethermind',
    title: 'nethermind up to 2025',
    lines: [
      line('tells reverts in words of its own', 'https://github.com/cowprotocol/watch-tower/issues/11', () =>
        revertsAs((data) => ({ code: -32015, message: 'VM execution error.', data: `Reverted ${data}` })),
      ),
    ],
  },
  { name: 'range-5', title: 'a trial plan with logs of 5 blocks (QuickNode)', lines: [fiveBlocks] },
  {
    name: 'range-10',
    title: 'a free plan with logs of 10 blocks (Alchemy)',
    lines: [
      line(
        'gives the logs of 10 blocks at once',
        'https://www.alchemy.com/docs/chains/boba/boba-api-endpoints/eth-get-logs',
        () =>
          logsOverBlocks(10, ({ from }) => ({
            code: -32600,
            message:
              'You can make eth_getLogs requests with up to a 10 block range. Based on your parameters, ' +
              `this block range should work: [${hex(from)}, ${hex(from + 9)}]`,
          })),
      ),
    ],
  },
  {
    name: 'results-10000',
    title: 'a gateway with 10,000 logs and 10,000 blocks (Infura)',
    lines: [
      line('gives the logs of 10,000 blocks at once', 'https://github.com/INFURA/infura/issues/237', () =>
        logsOverBlocks(10_000 / SCALE, ({ from, to, most }) => ({
          code: -32602,
          message: `range ${to - from + 1} exceeds limit of ${most}`,
        })),
      ),
      line('gives 10,000 logs at once', 'https://github.com/ethers-io/ethers.js/issues/4703', () =>
        logsUpTo(10_000 / SCALE, ({ from, fitting }) => ({
          code: -32005,
          message: `query returned more than 10000 results. Try with this block range [${hex(from)}, ${hex(fitting)}].`,
        })),
      ),
    ],
  },
  { name: 'replicas', title: 'a gateway before two nodes, of which one lags', lines: [replicas] },
  { name: 'no-simulation', title: 'a node without eth_simulateV1', lines: [noSimulation] },
  { name: 'no-overrides', title: 'a node that refuses state overrides', lines: [overridesRefused] },
  { name: 'by-number', title: 'a node that takes no block hashes', lines: [numbers] },
  { name: 'no-finality', title: 'a node without a finalized block', lines: [finalityUnknown] },
  {
    name: 'gas-25m',
    title: 'a node with 25 million gas for calls',
    lines: [
      line(
        'gives a call 25 million gas at most',
        'https://geth.ethereum.org/docs/fundamentals/command-line-options',
        () => callGasUpTo(25_000_000n),
      ),
      line(
        'gives all calls of a simulation 25 million gas together',
        'https://github.com/ethereum/go-ethereum/pull/33952',
        () => simulationGasUpTo(25_000_000n),
      ),
    ],
  },
  {
    name: 'busy',
    title: 'a gateway that refuses every seventh request',
    lines: [
      line('says 429, in one dialect or another', 'https://github.com/bnb-chain/docs-site/issues/621', () =>
        busyEvery(7, [
          { status: 429 },
          {
            status: 429,
            error: { code: 429, message: 'Your app has exceeded its compute units per second capacity' },
          },
          { status: 200, error: { code: -32005, message: 'limit exceeded' } },
        ]),
      ),
      line(
        'takes bodies of 1 MB at most',
        'https://support.chainstack.com/hc/en-us/articles/6955614349209',
        () => bodiesOf(1_000_000, 413),
      ),
    ],
  },
  {
    name: 'worst',
    title: 'the smallest plan of the poorest gateway',
    lines: WORST,
  },
  {
    name: 'worst-replicas',
    title: 'the same, with two nodes of which one lags',
    isUnsteady: true,
    lines: [...WORST, replicas],
  },
]

/** The kinds that this run of the tests asks. `NODES=batch-3,worst` names others. */
export function chosenProfiles(): readonly Profile[] {
  const chosen = process.env.NODES?.split(',')
  if (chosen !== undefined) return PROFILES.filter(({ name }) => chosen.includes(name))
  return PROFILES.slice(0, trials({ short: 7, nightly: PROFILES.length }))
}
