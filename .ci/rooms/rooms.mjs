/**
 * The rooms of the code: what is found where, and what each may import.
 *
 * `imports` are folders, each with all that is below it. A room may always import from itself. A row for a folder inside
 * another row's folder makes it a room of its own. `doors` are the only files that other rooms of the code may import;
 * tests may go further in. CONTRIBUTING.md shows this table, and rules.mjs checks it.
 *
 * @typedef {{ about: string, paths: string[], imports: string[] | 'everything', doors?: string[] }} Room
 */

const words = ['src/schema', 'src/errors', 'src/protocol', 'src/core']
const nodes = [...words, 'contracts/generated', 'src/chain/registry.ts', 'src/chain/rpc', 'src/chain/head']
const block = [...nodes, 'src/chain/block']
const index = [
  ...words,
  'src/history/source.ts',
  'src/history/projection.ts',
  'src/history/Notifier.ts',
  'src/history/Outage.ts',
  'src/history/groupBy.ts',
]
const calls = ['client/src/call', 'client/src/generated', 'client/src/errors', 'client/src/request']
const sending = [
  ...calls,
  'client/src/sending/errors.ts',
  'client/src/sending/SendingError.ts',
  'client/src/sending/wallet',
]

/** Rooms that are imported together; the table calls them by these names. A later one may contain an earlier one. */
export const groups = { words, nodes, block, index, calls, sending }

/** @type {readonly Room[]} */
export const rooms = [
  { about: 'the words of the wire: addresses, ids, amounts, pages', paths: ['src/schema'], imports: [] },
  { about: 'what goes wrong, and what a caller is told', paths: ['src/errors'], imports: ['src/schema'] },
  {
    about: 'the protocol’s rules: calendar, proration, fees, reverts, coverage, what remit does',
    paths: ['src/protocol'],
    imports: ['src/schema', 'contracts/generated'],
  },
  {
    about:
      'how a request becomes an answer: `defineOperation`, the ports, the one pipeline, what a request costs',
    paths: ['src/core'],
    imports: ['src/schema', 'src/errors', 'src/protocol'],
  },
  {
    about: 'what several operations answer with: token, day, subscription, account and event rows',
    paths: ['src/presentation'],
    imports: words,
  },
  {
    about: 'one operation',
    paths: ['src/operations'],
    imports: [...words, 'src/presentation', 'contracts/generated'],
  },
  { about: 'how nodes are asked: batches, failover, refusals', paths: ['src/chain/rpc'], imports: words },
  {
    about: 'which block is the newest, and what time it is on a chain',
    paths: ['src/chain/head'],
    doors: ['HeadWatcher.ts', 'blockHeader.ts', 'chainTime.ts'],
    imports: [...words, 'src/chain/rpc'],
  },
  {
    about: 'how a node is asked about one block, what it is able to, and what is kept of its answers',
    paths: ['src/chain/block'],
    doors: ['BlockReader.ts', 'BlockView.ts', 'simulateV1.ts', 'blockCache.ts', 'facts.ts', 'signatures.ts'],
    imports: nodes,
  },
  {
    about: 'the protocol’s state at a block',
    paths: ['src/chain/lens', 'contracts/src/lens'],
    doors: ['reads.ts', 'lensCaller.ts'],
    imports: block,
  },
  { about: 'how a batch is simulated, best method first', paths: ['src/chain/simulation'], imports: block },
  {
    about: 'how a prepared batch is proven: gas, events, balance changes, warnings',
    paths: ['src/chain/proof'],
    doors: ['prover.ts', 'eventRows.ts', 'gasL1.ts'],
    imports: [...block, 'src/chain/simulation'],
  },
  {
    about: 'what a remit would really do, and what stops it',
    paths: ['src/chain/remit'],
    doors: ['remitTrials.ts'],
    imports: [...block, 'src/chain/simulation'],
  },
  {
    about: 'what became of a transaction',
    paths: ['src/chain/transactions'],
    doors: ['transactions.ts'],
    imports: [...block, 'src/chain/simulation', 'src/chain/proof'],
  },
  {
    about: 'the logs and headers that an index is filled from',
    paths: ['src/chain/indexing'],
    doors: ['createChainNode.ts', 'nodeAnswers.ts'],
    imports: block,
  },
  { about: 'which chains are known, and their defaults', paths: ['src/chain/registry.ts'], imports: words },
  {
    about: 'one chain as a request sees it; is its contract the protocol’s?',
    paths: ['src/chain'],
    imports: [...words, 'contracts/generated', 'src/store'],
  },
  {
    about: 'the database: opening it, its schema and its versions, how secrets are sealed in it',
    paths: ['src/store'],
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
    paths: ['src/history/projection'],
    imports: [...index, 'src/store'],
  },
  {
    about: 'what comes after a block: the chain’s logs, or a subgraph',
    paths: ['src/history/sources'],
    imports: index,
  },
  { about: 'how far an index is', paths: ['src/history/status'], imports: index },
  {
    about: 'whether the store holds what the chain says',
    paths: ['src/history/audits'],
    doors: ['audits.ts', 'verifyStore.ts'],
    imports: [...index, 'src/history/projection', 'src/store'],
  },
  {
    about: 'who will pay: which verdicts are read, when, and within which budget',
    paths: ['src/history/sweep'],
    doors: ['Sweep.ts', 'Watch.ts'],
    imports: index,
  },
  {
    about: 'who fills an index, when it asks again, which alarm it raises',
    paths: ['src/history/follower'],
    imports: [...index, 'src/history/audits', 'src/history/status', 'src/store'],
  },
  {
    about: 'what search and history are read from',
    paths: ['src/history'],
    imports: [...words, 'src/store'],
  },
  {
    about: 'limits: counters in memory and in Redis',
    paths: ['src/access/limits'],
    imports: words,
  },
  {
    about: 'how keys, sessions and passes ask their store',
    paths: ['src/access/StoreAccess.ts'],
    imports: [...words, 'src/store'],
  },
  {
    about: 'developers’ keys',
    paths: ['src/access/keys'],
    imports: [...words, 'src/store', 'src/access/StoreAccess.ts'],
  },
  {
    about: 'who has signed in with a wallet',
    paths: ['src/access/sessions'],
    imports: [...words, 'src/store', 'src/access/StoreAccess.ts'],
  },
  {
    about: 'passes: the keys that sign them, and what they say',
    paths: ['src/access/passes'],
    imports: [...words, 'src/store', 'src/access/StoreAccess.ts'],
  },
  {
    about: 'who is calling: lanes, keys, Basic Auth, proxies',
    paths: ['src/access/identity'],
    imports: [...words, 'src/access/keys'],
  },
  {
    about: 'webhooks: their endpoints, who is sent what and when, and how it is sent safely',
    paths: ['src/webhooks'],
    imports: [...words, 'src/presentation', 'src/store'],
  },
  {
    about: 'REST, MCP, the catalog, OpenAPI, the HTTP server, the pages and guides that it serves',
    paths: ['src/surfaces'],
    imports: words,
  },
  {
    about: 'what operators measure',
    paths: ['src/metrics'],
    imports: [...words, 'src/surfaces/server', 'src/surfaces/http/hosts.ts'],
  },
  {
    about: 'what the environment decides',
    paths: ['src/configuration'],
    imports: [...words, 'src/access', 'src/chain/registry.ts', 'src/store', 'src/surfaces/server'],
  },
  {
    about: 'what a service needs, what its nodes can do, and what that costs: `npm run doctor`',
    paths: ['src/doctor'],
    imports: [
      ...block,
      'src/access/limits',
      'src/chain/indexing/nodeAnswers.ts',
      'src/chain/inspectContract.ts',
      'src/chain/proof/gasL1.ts',
      'src/chain/simulation/simulationBudget.ts',
      'src/configuration',
      'src/history/status/backfillPlan.ts',
      'src/store',
    ],
  },
  {
    about: 'whether two services give the same history: `npm run subgraph-compare`',
    paths: ['src/subgraphCompare'],
    imports: words,
  },
  {
    about: 'the thread that makes forecasts, away from the event loop',
    paths: ['src/forecasting'],
    doors: ['ForecastThread.ts'],
    imports: [...words, 'src/chain', 'src/operations'],
  },
  {
    about: 'how it all hangs together: the programs',
    paths: ['src/keysCommand', 'src'],
    imports: 'everything',
  },
  {
    about: 'one call as it goes over the wire, and its answer',
    paths: ['client/src/call'],
    imports: [],
  },
  {
    about: 'what is generated from the list of operations',
    paths: ['client/src/generated'],
    imports: ['client/src/call'],
  },
  {
    about: 'the client’s errors',
    paths: ['client/src/errors'],
    imports: ['client/src/call', 'client/src/generated'],
  },
  {
    about: 'requests: timeouts, retries, limits, own writes',
    paths: ['client/src/request'],
    imports: ['client/src/call', 'client/src/generated', 'client/src/errors'],
  },
  {
    about: 'events as they come',
    paths: ['client/src/events'],
    imports: calls,
  },
  {
    about: 'the wallet that signs',
    paths: ['client/src/sending/wallet'],
    imports: [...calls, 'client/src/sending/errors.ts', 'client/src/sending/SendingError.ts'],
  },
  {
    about: 'what the wallet’s own node says of the contract',
    paths: ['client/src/sending/chain'],
    imports: sending,
  },
  {
    about: 'how much a wallet may be committed to',
    paths: ['client/src/sending/budget'],
    imports: [...sending, 'client/src/sending/chain'],
  },
  {
    about: 'whether what was prepared is what was asked for',
    paths: ['client/src/sending/check'],
    imports: [...sending, 'client/src/sending/chain', 'client/src/sending/budget'],
  },
  { about: 'what becomes of a sent transaction', paths: ['client/src/sending/wait'], imports: sending },
  {
    about: 'signing and sending',
    paths: ['client/src/sending/send'],
    imports: [
      ...sending,
      'client/src/sending/chain',
      'client/src/sending/budget',
      'client/src/sending/check',
      'client/src/sending/wait',
    ],
  },
  {
    about: 'each thing that a wallet can do, from the request to the outcome',
    paths: ['client/src/sending'],
    imports: calls,
  },
  {
    about: 'whether a pass lets its holder in, asked of nobody',
    paths: ['client/src/passes'],
    imports: ['client/src/call', 'client/src/generated'],
  },
  { about: '`remit` on the command line, the keeper', paths: ['client/src/cli'], imports: ['client/src'] },
  {
    about: 'whether a request is a webhook of the service',
    paths: ['client/src/webhooks'],
    imports: ['client/src/call', 'client/src/events/decodeEvent.ts'],
  },
  { about: 'the client’s public functions', paths: ['client/src'], imports: [] },
  {
    about: 'the reference contract, its tokens, the lens, their build',
    paths: ['contracts'],
    imports: ['devnet', 'test/support'],
  },
  {
    about: 'anvil, its clock and its blocks, the deployment of the protocol',
    paths: ['devnet/chain'],
    imports: ['contracts/generated'],
  },
  {
    about: 'who is on the development chain, and what they did before it starts',
    paths: ['devnet/story'],
    imports: ['contracts/generated', 'devnet/chain'],
  },
  {
    about: 'the development chain with its service, its commands, the demo',
    paths: ['devnet'],
    imports: ['contracts', 'src', 'client/src/development'],
  },
  {
    about: 'what makes the client: its generator, and what the service serves of it',
    paths: ['client/generate', 'client/pack'],
    imports: 'everything',
  },
  {
    about: 'the pages for people: Preact, built by Vite, served by `src/surfaces/site/pages`',
    paths: ['site'],
    imports: ['client/src', 'src/protocol', 'src/surfaces/site/pages'],
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
