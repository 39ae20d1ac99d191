/**
 * Generates the subgraph's files from the service's declarations: the ABI from the contract's events
 * (packages/contracts/generated), and a manifest for each built-in chain (packages/engine/src/chain/registry.ts).
 *
 *   npx tsx subgraph/generate.ts                                  the ABI, and a manifest of each built-in chain
 *   npx tsx subgraph/generate.ts <network> <address> <block>      a manifest of another chain, on standard output
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ISubscriptions } from '@remit/contracts/ISubscriptions'
import { BUILT_IN_CHAINS } from '@remit/engine/chain/registry'
import { isAddress } from 'viem'

const folder = import.meta.dirname

/** The Graph's names of the chains. */
const NETWORKS = new Map([
  [8453, 'base'],
  [84_532, 'base-sepolia'],
])

/** A chain's contract, as a manifest names it. */
interface Source {
  readonly network: string
  readonly address: string
  readonly startBlock: number
}

/** The text of every generated file, by its name in the folder. */
export function generatedFiles(): Map<string, string> {
  const files = new Map([['abis/ISubscriptions.json', `${JSON.stringify(events(), undefined, 2)}\n`]])
  for (const { chainId, contractAddress, firstBlock } of BUILT_IN_CHAINS) {
    const network = NETWORKS.get(chainId)
    if (network === undefined) throw new Error(`The Graph's name of chain ${chainId} is missing here`)
    files.set(`${network}.yaml`, manifest({ network, address: contractAddress, startBlock: firstBlock }))
  }
  return files
}

export function manifest(source: Source): string {
  const values = new Map<string, string>(
    Object.entries({ ...source, ...signatures() }).map(([k, v]) => [k, `${v}`]),
  )
  const template = readFileSync(join(folder, 'subgraph.template.yaml'), 'utf8')
  return template.replace(/\$(\w+)/g, (_, name: string) => {
    const value = values.get(name)
    if (value === undefined) throw new Error(`The template names ${name}, which nothing states`)
    return value
  })
}

function events() {
  return ISubscriptions.abi.filter(({ type }) => type === 'event')
}

/** Each event as a manifest writes it: "CallerLog(indexed uint40,indexed uint40,indexed address,bool)". */
function signatures(): Record<string, string> {
  return Object.fromEntries(
    ISubscriptions.abi.flatMap((item) => {
      if (item.type !== 'event') return []
      const inputs = item.inputs.map(({ indexed, type }) => (indexed ? `indexed ${type}` : type))
      return [[item.name, `${item.name}(${inputs.join(',')})`]]
    }),
  )
}

if (import.meta.filename === process.argv[1]) {
  const [network, address, block] = process.argv.slice(2)
  if (network === undefined) {
    for (const [name, text] of generatedFiles()) writeFileSync(join(folder, name), text)
  } else if (address !== undefined && isAddress(address) && /^\d+$/.test(block ?? '')) {
    process.stdout.write(manifest({ network, address, startBlock: Number(block) }))
  } else {
    process.stderr.write('usage: npx tsx subgraph/generate.ts [<network> <contract address> <first block>]\n')
    process.exit(1)
  }
}
