import { ChainEntry } from '../../chain/registry.ts'
import { Address } from '../../schema/address.ts'
import { defineVariable, type Variable } from '../defineVariable.ts'
import { boolean, httpUrl, integer, list, oneOf, orNone, text } from '../values.ts'

const { shape } = ChainEntry

/**
 * A chain's variables, by the fields of its entry in the registry. Their defaults are the registry's: what is
 * built in or in CHAINS_FILE, else what an entry says that does not say it.
 */
export const CHAIN = {
  rpcUrls: defineVariable({
    name: 'RPC_URL_<id>',
    group: 'Chains',
    description:
      'The nodes of the chain, in order of preference. Give two of different operators. A chain without one is listed and not served.',
    schema: list(httpUrl, 'http or https URLs'),
    secret: 'parts',
  }),
  contractAddress: defineVariable({
    name: 'CONTRACT_ADDRESS_<id>',
    group: 'Chains',
    description:
      "The protocol's contract. A chain that is not built in needs it. In place of a built-in one it needs `START_BLOCK_<id>` beside it.",
    schema: Address.describe('an address'),
  }),
  firstBlock: defineVariable({
    name: 'START_BLOCK_<id>',
    group: 'Chains',
    description: 'The block in which the contract was deployed: the index begins there.',
    schema: integer(0, Number.MAX_SAFE_INTEGER),
  }),
  name: defineVariable({
    name: 'CHAIN_NAME_<id>',
    group: 'Chains',
    description: 'What the catalog calls it. Of a chain that is not built in: Chain and its id.',
    schema: shape.name.describe('text'),
  }),
  tokens: defineVariable({
    name: 'TOKENS_<id>',
    group: 'Chains',
    description: 'Candidates for `/approved-tokens` beside those in the index; each is confirmed on chain.',
    schema: list(Address, 'addresses'),
  }),
  opStack: defineVariable({
    name: 'OP_STACK_<id>',
    group: 'Chains',
    description: 'Whether transactions also pay for their data on the chain below.',
    schema: boolean,
  }),
  finalityDepth: defineVariable({
    name: 'FINALITY_DEPTH_<id>',
    group: 'Chains',
    description:
      'After so many blocks on top of it a block counts as final where nodes do not say so themselves.',
    schema: integer(0, 1_000_000),
  }),
  txGasCap: defineVariable({
    name: 'TX_GAS_CAP_<id>',
    group: 'Chains',
    description:
      'The most gas that one transaction may ask for: 2^24 by EIP-7825. What needs more is refused by name instead of being prepared. `none` where the chain has no such cap.',
    schema: orNone(integer(21_000, 1_000_000_000)),
  }),
  index: defineVariable({
    name: 'INDEX_<id>',
    group: 'Store and index',
    description: "What search and history are read from: the chain's logs, a subgraph, or nothing.",
    schema: oneOf(shape.index.unwrap().options),
  }),
  subgraphUrl: defineVariable({
    name: 'SUBGRAPH_URL_<id>',
    group: 'Store and index',
    description: 'The subgraph, where the index is read from one.',
    schema: httpUrl,
    secret: 'parts',
  }),
  subgraphPollSeconds: defineVariable({
    name: 'SUBGRAPH_POLL_SECONDS_<id>',
    group: 'Store and index',
    description:
      'How often the subgraph is asked whether it has anything new, in seconds. Gateways bill questions: 5 s are 17,280 a day. The index is behind by as much.',
    schema: integer(1, 3_600),
  }),
} satisfies Partial<Record<keyof ChainEntry, Variable<unknown>>>

/** Read before the others, which win over what it says. */
export const CHAINS_FILE = defineVariable({
  name: 'CHAINS_FILE',
  group: 'Chains',
  description:
    'A JSON file with a list of whole entries, where variables are not enough. Variables win over it.',
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
