import { ChainEntry } from '@remit/engine/chain/registry'
import { Address } from '@remit/engine/schema/hex'
import { type Variable, variablesOf } from '../defineVariable.ts'
import { boolean, httpUrl, integer, list, nodeLimits, nodeUrl, oneOf, orNone, text } from '../values.ts'

const chainVariable = variablesOf('Chains')
const storeVariable = variablesOf('Store and index')

const { shape } = ChainEntry

/**
 * A chain's variables, by the field of its registry entry. A default comes from the entry that is built in or in
 * CHAINS_FILE, else from the schema of an entry.
 */
export const CHAIN = {
  rpcUrls: chainVariable({
    name: 'RPC_URL_<id>',
    description:
      'The nodes of the chain, in order of preference. Give two, from different operators. A `wss://` URL announces new blocks, which saves asking for them. A chain without a node is listed but not served.',
    schema: list(nodeUrl, 'http, https, ws or wss URLs'),
    secret: 'parts',
  }),
  rpcLimits: chainVariable({
    name: 'RPC_LIMITS_<id>',
    description:
      'What the nodes grant at once, where you know it. What is not given is learnt from refusals. One list for all URLs, or one for each in their order, separated by `;`: `batch=10,logRange=2000,callGas=25000000,simulationGas=25000000,body=1000000`.',
    schema: nodeLimits,
  }),
  contractAddress: chainVariable({
    name: 'CONTRACT_ADDRESS_<id>',
    description:
      "The protocol's contract. A chain that is not built in needs it. If it replaces a built-in one, set `START_BLOCK_<id>` too.",
    schema: Address.describe('an address'),
  }),
  firstBlock: chainVariable({
    name: 'START_BLOCK_<id>',
    description: 'The block in which the contract was deployed, where the index begins.',
    schema: integer(0, Number.MAX_SAFE_INTEGER),
  }),
  name: chainVariable({
    name: 'CHAIN_NAME_<id>',
    description:
      'The name of the chain in the catalog. If the chain is not built in, the default is `Chain` and its id.',
    schema: shape.name.describe('text'),
  }),
  tokens: chainVariable({
    name: 'TOKENS_<id>',
    description:
      'More candidates for `/approved-tokens`, beside those in the index. Each is confirmed on chain.',
    schema: list(Address, 'addresses'),
  }),
  opStack: chainVariable({
    name: 'OP_STACK_<id>',
    description: 'Whether transactions also pay for their data on a parent chain, as on an OP Stack rollup.',
    schema: boolean,
  }),
  devChain: chainVariable({
    name: 'DEV_CHAIN_<id>',
    description:
      'Whether it is a development chain, whose blocks come on demand and may have any time. An old newest block raises no alarm there. Chain 31337 is one.',
    schema: boolean,
  }),
  finalityDepth: chainVariable({
    name: 'FINALITY_DEPTH_<id>',
    description:
      'How many blocks must follow a block until it is final, if the nodes do not report finality.',
    schema: integer(0, 1_000_000),
  }),
  nameRegistry: chainVariable({
    name: 'NAME_REGISTRY_<id>',
    description:
      'A registry of names, as ENS has it, from which the names of providers’ addresses are read. Base and Base Sepolia have that of Basenames.',
    schema: Address.describe('an address'),
  }),
  txGasCap: chainVariable({
    name: 'TX_GAS_CAP_<id>',
    description:
      'The most gas that one transaction may ask for: 2^24 by EIP-7825. A prepare that needs more is refused. `none` if the chain has no such cap.',
    schema: orNone(integer(21_000, 1_000_000_000)),
  }),
  index: storeVariable({
    name: 'INDEX_<id>',
    description: "Where search and history come from: the chain's logs, a subgraph, or nowhere.",
    schema: oneOf(shape.index.unwrap().options),
  }),
  subgraphUrl: storeVariable({
    name: 'SUBGRAPH_URL_<id>',
    description: 'The URL of the subgraph. With `INDEX_<id>=rpc` it fills only the past.',
    schema: httpUrl,
    secret: 'parts',
  }),
  subgraphPollSeconds: storeVariable({
    name: 'SUBGRAPH_POLL_SECONDS_<id>',
    description:
      'How often the subgraph is asked for new blocks, in seconds. The index lags by this time, and gateways bill each query.',
    schema: integer(1, 3_600),
  }),
} satisfies Partial<Record<keyof ChainEntry, Variable<unknown>>>

/** Read first. The variables override what the file says. */
export const CHAINS_FILE = chainVariable({
  name: 'CHAINS_FILE',
  description:
    'A JSON file with a list of complete chain entries, for what the variables cannot express. Variables ' +
    'override it.',
  schema: text.describe('a path'),
})

/** A chain's own variables: `RPC_URL_8453`. */
export function chainVariables(chainId: number): typeof CHAIN {
  const named = Object.entries(CHAIN).map(([field, variable]) => [
    field,
    { ...variable, name: nameFor(variable, chainId) },
  ])
  // Safe: the same variables under the same keys, with other names.
  return Object.fromEntries(named) as typeof CHAIN
}

/** The chain whose variable has this name; `undefined` where it is no chain's. */
export function chainOf(name: string): number | undefined {
  const digits = /_(\d{1,16})$/.exec(name)?.[1]
  if (digits === undefined) return undefined
  const chainId = Number(digits)
  return Object.values(CHAIN).some((variable) => nameFor(variable, chainId) === name) ? chainId : undefined
}

function nameFor({ name }: Variable<unknown>, chainId: number | string): string {
  return name.replace('<id>', String(chainId))
}
