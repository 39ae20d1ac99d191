import { BUILT_IN_CHAINS, ChainEntry } from '../chain/registry.ts'
import type { Variable } from './defineVariable.ts'
import { CHAIN } from './variables/chain.ts'

/** A chain entry with only the required fields, to read the defaults from. */
const PLAIN = ChainEntry.parse({ chainId: 1, name: ' ', contractAddress: `0x${'0'.repeat(40)}` })
const REQUIRED: readonly string[] = ['name', 'contractAddress']

/** A default as an operator would write it, and its chains; without chains it is the default of all others. */
interface DefaultInForce {
  readonly text: string
  readonly chains: readonly string[]
}

/** The defaults of a variable; empty where it has none. */
export function defaultsInForce(variable: Variable): DefaultInForce[] {
  const field = Object.entries(CHAIN).find(([, declared]) => declared.name === variable.name)?.[0]
  if (field === undefined) {
    return variable.default === undefined || variable.default === ''
      ? []
      : [{ text: variable.default, chains: [] }]
  }
  const usual = REQUIRED.includes(field) ? '' : asText(fieldOf(PLAIN, field))
  const others = new Map<string, string[]>()
  for (const entry of BUILT_IN_CHAINS) {
    const text = asText(fieldOf(entry, field))
    if (text !== usual) others.set(text, [...(others.get(text) ?? []), entry.name])
  }
  return [
    ...(usual === '' ? [] : [{ text: usual, chains: [] }]),
    ...[...others].map(([text, chains]) => ({ text, chains })),
  ]
}

function fieldOf(entry: ChainEntry, field: string): unknown {
  return Object.entries(entry).find(([name]) => name === field)?.[1]
}

function asText(value: unknown): string {
  return Array.isArray(value) ? value.join(',') : String(value ?? '')
}
