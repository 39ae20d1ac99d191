/**
 * The rooms of the code: what is found where, and what each may import.
 *
 * `imports` are folders, each with all that is below it. A room may always import from itself. A row for a folder inside
 * another row's folder makes it a room of its own. `doors` are the only files that other rooms of the code may import;
 * tests may go further in. CONTRIBUTING.md shows this table, and rules.mjs checks it.
 *
 * @typedef {{ about: string, paths: string[], imports: string[] | 'everything', doors?: string[] }} Room
 */

const words = ['src/schema', 'packages/engine/src/errors', 'packages/protocol/src', 'packages/service/src/calls']
const nodes = [...words, 'packages/contracts/generated', 'packages/engine/src/chain/registry.ts', 'packages/engine/src/rpc', 'packages/engine/src/head']
const block = [...nodes, 'packages/engine/src/block']
const index = [
  ...words,
  'packages/service/src/history/source.ts',
  'packages/service/src/history/projection.ts',
  'packages/service/src/history/Notifier.ts',
  'packages/service/src/history/Outage.ts',
  'packages/service/src/history/groupBy.ts',
]
const calls = ['packages/client/src/call', 'packages/client/src/generated', 'packages/client/src/errors', 'packages/client/src/request']
const sending = [
  ...calls,
  'packages/client/src/sending/errors.ts',
  'packages/client/src/sending/SendingError.ts',
  'packages/client/src/sending/wallet',
]

/** Rooms that are imported together; the table calls them by these names. A later one may contain an earlier one. */
export const groups = { words, nodes, block, index, calls, sending }

/** @type {readonly Room[]} */
export const rooms = [
  { about: 'the words of the wire: addresses, ids, amounts, pages', paths: ['src/schema'], imports: [] },
  { about: 'what goes wrong, and what a caller is told', paths: ['packages/engine/src/errors'], imports: ['src/schema'] },
  {
    about: 'the protocol’s rules: calendar, proration, fees, reverts, coverage, what remit does',
    paths: ['packages/protocol/src'],
    imports: ['src/schema', 'packages/contracts/generated'],
  },
  {
    about:
      'how a request becomes an answer: `defineOperation`, the ports, the one pipeline, what a request costs',
    paths: ['packages/service/src/calls'],
    imports: ['src/schema', 'packages/engine/src/errors', 'packages/protocol/src'],
  },
  {
    about: 'what several operations answer with: token, day, subscription, account and event rows',
    paths: ['packages/engine/src/presentation'],
    imports: words,
  },
  {
    about: 'one operation',
    paths: ['packages/service/src/operations'],
    imports: [...words, 'packages/engine/src/presentation', 'packages/contracts/generated'],
  },
  { about: 'how nodes are asked: batches, failover, refusals', paths: ['packages/engine/src/rpc'], imports: words },
  {
    about: 'which block is the newest, and what time it is on a chain',
    paths: ['packages/engine/src/head'],
    doors: ['HeadWatcher.ts', 'blockHeader.ts', 'chainTime.ts'],
    imports: [...words, 'packages/engine/src/rpc'],
  },
  {
    about: 'how a node is asked about one block, what it is able to, and what is kept of its answers',
    paths: ['packages/engine/src/block'],
    doors: ['BlockReader.ts', 'BlockView.ts', 'simulateV1.ts', 'blockCache.ts', 'facts.ts', 'signatures.ts'],
    imports: nodes,
  },
  {
    about: 'the protocol’s state at a block',
    paths: ['packages/engine/src/lens', 'packages/contracts/src/lens'],
    doors: ['reads.ts', 'lensCaller.ts'],
    imports: block,
  },
  { about: 'how a batch is simulated, best method first', paths: ['packages/engine/src/simulation'], imports: block },
  {
    about: 'how a prepared batch is proven: gas, events, balance changes, warnings',
    paths: ['packages/engine/src/proof'],
    doors: ['prover.ts', 'eventRows.ts', 'gasL1.ts'],
    imports: [...block, 'packages/engine/src/simulation'],
  },
  {
    about: 'what a remit would really do, and what stops it',
    paths: ['packages/engine/src/remit'],
    doors: ['remitTrials.ts'],
    imports: [...block, 'packages/engine/src/simulation'],
  },
  {
    about: 'what became of a transaction',
    paths: ['packages/engine/src/transactions'],
    doors: ['transactions.ts'],
    imports: [...block, 'packages/engine/src/simulation', 'packages/engine/src/proof'],
  },
  {
    about: 'the logs and headers that an index is filled from',
    paths: ['packages/engine/src/indexing'],
    doors: ['createChainNode.ts', 'nodeAnswers.ts'],
    imports: block,
  },
  { about: 'which chains are known, and their defaults', paths: ['packages/engine/src/chain/registry.ts'], imports: words },
  {
    about: 'one chain as a request sees it; is its contract the protocol’s?',
    paths: ['packages/engine/src'],
    imports: [...words, 'packages/contracts/generated', 'packages/service/src/store'],
  },
  {
    about: 'the database: opening it, its schema and its versions, how secrets are sealed in it',
    paths: ['packages/service/src/store'],
    doors: [
      'openStore.ts',
      'inspectStore.ts',
      'tables.ts',
      'indexTables.ts',
      'accessTables.ts',
      'webhookTables.ts',
      'StoreError.ts',
      'SecretBox.ts',
      'resealSecrets.ts',
      'storeTime.ts',
    ],
    imports: [],
  },
  {
    about: 'the tables of the index: how a step is written, how queries are answered',
    paths: ['packages/service/src/history/projection'],
    imports: [...index, 'packages/service/src/store'],
  },
  {
    about: 'what comes after a block: the chain’s logs, or a subgraph',
    paths: ['packages/service/src/history/sources'],
    imports: index,
  },
  { about: 'how far an index is', paths: ['packages/service/src/history/status'], imports: index },
  {
    about: 'whether the store holds what the chain says',
    paths: ['packages/service/src/history/audits'],
    doors: ['audits.ts', 'verifyStore.ts'],
    imports: [...index, 'packages/service/src/history/projection', 'packages/service/src/store'],
  },
  {
    about: 'who will pay: which verdicts are read, when, and within which budget',
    paths: ['packages/service/src/history/sweep'],
    doors: ['Sweep.ts', 'Watch.ts'],
    imports: index,
  },
  {
    about: 'who fills an index, when it asks again, which alarm it raises',
    paths: ['packages/service/src/history/follower'],
    imports: [...index, 'packages/service/src/history/audits', 'packages/service/src/history/status', 'packages/service/src/store'],
  },
  {
    about: 'what search and history are read from',
    paths: ['packages/service/src/history'],
    imports: [...words, 'packages/service/src/store'],
  },
  {
    about: 'limits: counters in memory and in Redis',
    paths: ['packages/service/src/access/limits'],
    imports: words,
  },
  {
    about: 'how keys, sessions and passes ask their store',
    paths: ['packages/service/src/access/StoreAccess.ts'],
    imports: [...words, 'packages/service/src/store'],
  },
  {
    about: 'developers’ keys',
    paths: ['packages/service/src/access/keys'],
    imports: [...words, 'packages/service/src/store', 'packages/service/src/access/StoreAccess.ts'],
  },
  {
    about: 'who has signed in with a wallet',
    paths: ['packages/service/src/access/sessions'],
    imports: [...words, 'packages/service/src/store', 'packages/service/src/access/StoreAccess.ts'],
  },
  {
    about: 'passes: the keys that sign them, and what they say',
    paths: ['packages/service/src/access/passes'],
    imports: [...words, 'packages/service/src/store', 'packages/service/src/access/StoreAccess.ts'],
  },
  {
    about: 'who is calling: lanes, keys, Basic Auth, proxies',
    paths: ['packages/service/src/access/identity'],
    imports: [...words, 'packages/service/src/access/keys'],
  },
  {
    about: 'webhooks: their endpoints, who is sent what and when, and how it is sent safely',
    paths: ['packages/service/src/webhooks'],
    imports: [...words, 'packages/engine/src/presentation', 'packages/service/src/store'],
  },
  {
    about: 'REST, MCP, the catalog, OpenAPI, the HTTP server, the pages and guides that it serves',
    paths: ['packages/service/src/surfaces'],
    imports: words,
  },
  {
    about: 'what operators measure',
    paths: ['packages/service/src/metrics'],
    imports: [...words, 'packages/service/src/surfaces/server', 'packages/service/src/surfaces/http/hosts.ts'],
  },
  {
    about: 'what the environment decides',
    paths: ['packages/service/src/configuration'],
    imports: [...words, 'packages/service/src/access', 'packages/engine/src/chain/registry.ts', 'packages/service/src/store', 'packages/service/src/surfaces/server'],
  },
  {
    about: 'what a service needs, what its nodes can do, and what that costs: `npm run doctor`',
    paths: ['packages/service/src/doctor'],
    imports: [
      ...block,
      'packages/service/src/access/limits',
      'packages/engine/src/indexing/nodeAnswers.ts',
      'packages/engine/src/chain/inspectContract.ts',
      'packages/engine/src/proof/gasL1.ts',
      'packages/engine/src/simulation/simulationBudget.ts',
      'packages/service/src/configuration',
      'packages/service/src/history/status/backfillPlan.ts',
      'packages/service/src/store',
    ],
  },
  {
    about: 'whether two services give the same history: `npm run subgraph-compare`',
    paths: ['packages/service/src/subgraphCompare'],
    imports: words,
  },
  {
    about: 'the thread that makes forecasts, away from the event loop',
    paths: ['packages/service/src/forecasting'],
    doors: ['ForecastThread.ts'],
    imports: [...words, 'packages/engine/src', 'packages/service/src/operations'],
  },
  {
    about: 'how it all hangs together: the programs',
    paths: ['packages/service/src/keysCommand', 'src'],
    imports: 'everything',
  },
  {
    about: 'one call as it goes over the wire, and its answer',
    paths: ['packages/client/src/call'],
    imports: [],
  },
  {
    about: 'what is generated from the list of operations',
    paths: ['packages/client/src/generated'],
    imports: ['packages/client/src/call'],
  },
  {
    about: 'the client’s errors',
    paths: ['packages/client/src/errors'],
    imports: ['packages/client/src/call', 'packages/client/src/generated'],
  },
  {
    about: 'requests: timeouts, retries, limits, own writes',
    paths: ['packages/client/src/request'],
    imports: ['packages/client/src/call', 'packages/client/src/generated', 'packages/client/src/errors'],
  },
  {
    about: 'events as they come',
    paths: ['packages/client/src/events'],
    imports: calls,
  },
  {
    about: 'the wallet that signs',
    paths: ['packages/client/src/sending/wallet'],
    imports: [...calls, 'packages/client/src/sending/errors.ts', 'packages/client/src/sending/SendingError.ts'],
  },
  {
    about: 'what the wallet’s own node says of the contract',
    paths: ['packages/client/src/sending/chain'],
    imports: sending,
  },
  {
    about: 'how much a wallet may be committed to',
    paths: ['packages/client/src/sending/budget'],
    imports: [...sending, 'packages/client/src/sending/chain'],
  },
  {
    about: 'whether what was prepared is what was asked for',
    paths: ['packages/client/src/sending/check'],
    imports: [...sending, 'packages/client/src/sending/chain', 'packages/client/src/sending/budget'],
  },
  { about: 'what becomes of a sent transaction', paths: ['packages/client/src/sending/wait'], imports: sending },
  {
    about: 'signing and sending',
    paths: ['packages/client/src/sending/send'],
    imports: [
      ...sending,
      'packages/client/src/sending/chain',
      'packages/client/src/sending/budget',
      'packages/client/src/sending/check',
      'packages/client/src/sending/wait',
    ],
  },
  {
    about: 'each thing that a wallet can do, from the request to the outcome',
    paths: ['packages/client/src/sending'],
    imports: calls,
  },
  {
    about: 'whether a pass lets its holder in, asked of nobody',
    paths: ['packages/client/src/passes'],
    imports: ['packages/client/src/call', 'packages/client/src/generated'],
  },
  { about: '`remit` on the command line, the keeper', paths: ['packages/client/src/cli'], imports: ['packages/client/src'] },
  {
    about: 'whether a request is a webhook of the service',
    paths: ['packages/client/src/webhooks'],
    imports: ['packages/client/src/call', 'packages/client/src/events/decodeEvent.ts'],
  },
  { about: 'the client’s public functions', paths: ['packages/client/src'], imports: [] },
  {
    about: 'the reference contract, its tokens, the lens, their build',
    paths: ['contracts'],
    imports: ['devnet', 'test/support'],
  },
  {
    about: 'anvil, its clock and its blocks, the deployment of the protocol',
    paths: ['packages/devchain/src/chain'],
    imports: ['packages/contracts/generated'],
  },
  {
    about: 'who is on the development chain, and what they did before it starts',
    paths: ['packages/devchain/src/story'],
    imports: ['packages/contracts/generated', 'packages/devchain/src/chain'],
  },
  {
    about: 'the development chain with its service, its commands, the demo',
    paths: ['devnet'],
    imports: ['contracts', 'src', 'packages/client/src/development'],
  },
  {
    about: 'what makes the client: its generator, and what the service serves of it',
    paths: ['packages/service/src/clientGenerator', 'packages/client/pack'],
    imports: 'everything',
  },
  {
    about: 'the pages for people: Preact, built by Vite, served by `packages/service/src/surfaces/site/pages`',
    paths: ['site'],
    imports: ['packages/client/src', 'packages/protocol/src', 'packages/service/src/surfaces/site/pages'],
  },
  { about: 'the subgraph for The Graph, a package of its own', paths: ['subgraph'], imports: 'everything' },
  {
    about: 'image, bundle, releases, compose, systemd',
    paths: ['deploy', 'Dockerfile', 'compose.yaml'],
    imports: 'everything',
  },
  { about: 'what newcomers copy, each run by `test/examples/`', paths: ['examples'], imports: 'everything' },
  { about: 'tests that span rooms, and what tests share', paths: ['test'], imports: 'everything' },
  { about: 'what is measured', paths: ['bench'], imports: 'everything' },
]
