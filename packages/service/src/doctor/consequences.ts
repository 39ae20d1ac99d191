// What the doctor (`npm run doctor`) checks at a node, and what each result means for the service. `report.ts` prints these sentences
// for what a node lacks; `document.ts` writes all of them into docs/nodes.md.

/** The names of the checks, in the order of the report. Limits and abilities are named as in `/status` and RPC_LIMITS_<id>. */
export const CHECKS = [
  'chain',
  'head',
  'contract',
  'finalized',
  'blockHash',
  'stateOverrides',
  'callGas',
  'simulateV1',
  'simulationGas',
  'estimateGas',
  'feeHistory',
  'l1Fee',
  'batch',
  'logRange',
  'pastLogs',
  'receipts',
  'archive',
  'newHeads',
] as const

export type CheckName = (typeof CHECKS)[number]

interface Consequence {
  /** What is checked, with "a node" before it: "a node … names the final block". Of a limit, what it limits. */
  readonly title: string
  /** What does not work, works less well or costs more where the node fails the check. */
  readonly without: string
  /** What the operator can do then. `<id>` stands for the chain's id. */
  readonly change: string
}

export const CONSEQUENCES: Readonly<Record<CheckName, Consequence>> = {
  chain: {
    title: 'is on the right chain',
    without: 'Nothing is read from this node.',
    change: 'Correct the URL, or its key.',
  },
  head: {
    title: 'is up to date',
    without: 'Every answer is as old as the newest block.',
    change: 'Wait until the node has caught up, or use another one.',
  },
  contract: {
    title: 'has the protocol’s contract',
    without: 'Every route of the chain answers 503.',
    change: 'Correct CONTRACT_ADDRESS_<id>, or use a node of the chain that has the contract.',
  },
  finalized: {
    title: 'names the final block',
    without: 'Rows count as final only FINALITY_DEPTH_<id> blocks later: half an hour on Base.',
    change: 'Nothing. A node that knows the tag tells it sooner.',
  },
  blockHash: {
    title: 'takes a block by its hash',
    without: 'Every read also asks for the block’s header, to notice a reorganisation in between.',
    change: 'Nothing. A node that knows EIP-1898 costs less.',
  },
  stateOverrides: {
    title: 'runs lent code (state overrides)',
    without:
      'Reads take the slower way of a contract creation, and a batch of several steps cannot be proven as a whole.',
    change: 'Use a node that takes state overrides in eth_call, such as geth, reth or erigon.',
  },
  callGas: {
    title: 'gas of one eth_call',
    without: 'Long lists are read in smaller pieces, with more requests.',
    change: 'Raise the cap on a node of your own (--rpc.gascap), or use another provider.',
  },
  simulateV1: {
    title: 'simulates (eth_simulateV1)',
    without:
      'POST /simulate/remit is refused. Prepared batches are proven by one eth_call, which shows no events. Forecasts of remit are calculated instead of tried, and say so.',
    change: 'Use a node that has eth_simulateV1, such as a current geth or reth.',
  },
  simulationGas: {
    title: 'gas of one simulation',
    without: 'A forecast of a long backlog takes more requests, or says how far it could look.',
    change: 'Raise the cap on a node of your own (--rpc.gascap), or use another provider.',
  },
  estimateGas: {
    title: 'estimates gas',
    without: 'Gas is taken from the proof alone, and `simulateFromAddress` answers with a warning.',
    change: 'Use a node that has eth_estimateGas.',
  },
  feeHistory: {
    title: 'tells fees (eth_feeHistory)',
    without: 'Nothing can be prepared: no fee is ever guessed.',
    change: 'Use a node that has eth_feeHistory.',
  },
  l1Fee: {
    title: 'tells the L1 data fee',
    without: 'Nothing can be prepared: the fee is part of every estimate.',
    change: 'Set OP_STACK_<id>=false if the chain is not an OP-stack chain, or use another node.',
  },
  batch: {
    title: 'requests in one batch',
    without: 'Answers take more HTTP requests and more time. They are as correct as with larger batches.',
    change: 'Nothing. If requests are scarce, use a provider that takes larger batches.',
  },
  logRange: {
    title: 'blocks of one eth_getLogs',
    without:
      'The first reading of the chain’s history takes more requests. The estimate below says how many, and how long.',
    change:
      'Nothing, if that is short. If not, begin with a dump of an index that was read, let a subgraph fill the past, or use another provider for the first reading.',
  },
  pastLogs: {
    title: 'gives old logs',
    without: 'The index cannot be filled, so search and history stay empty.',
    change:
      'Begin with a dump of an index that was read, let a subgraph fill the past, or add a URL of a node that keeps all logs.',
  },
  receipts: {
    title: 'gives all receipts of a block',
    without: 'Where logs are doubtful, receipts are read one by one.',
    change: 'Nothing.',
  },
  archive: {
    title: 'has old state',
    without: 'The reason of an old failed transaction cannot be told. Nothing else needs it.',
    change: 'Nothing.',
  },
  newHeads: {
    title: 'announces new blocks (WebSocket)',
    without: 'The node is asked for its newest block instead, once for each block.',
    change:
      'Nothing. A wss:// URL among RPC_URL_<id> saves these requests, though not every provider bills less for it.',
  },
}
