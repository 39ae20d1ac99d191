import {
  type Abi,
  type AbiEvent,
  type AbiFunction,
  type AbiParameter,
  type Address,
  decodeAbiParameters,
  decodeErrorResult,
  decodeEventLog,
  encodeFunctionData,
  getAddress,
  type Hex,
  isAddress,
  toFunctionSelector,
  zeroAddress,
} from 'viem'
import { z } from 'zod'
import type { Recorded, RecordedLog } from './life.ts'

/** Which name stands for which address in a recording. */
export class Names {
  readonly #addresses = new Map<string, Address>([['zero', zeroAddress]])
  readonly #names = new Map<string, string>([[zeroAddress, 'zero']])

  add(name: string, address: string): void {
    this.#addresses.set(name, getAddress(address))
    this.#names.set(address.toLowerCase(), name)
  }

  addressOf(name: string): Address {
    const address = this.#addresses.get(name)
    if (address !== undefined) return address
    if (isAddress(name, { strict: false })) return getAddress(name)
    throw new Error(`The recording names ${name}, which is neither an account, a token nor an address.`)
  }

  nameOf(address: string): string {
    return this.#names.get(address.toLowerCase()) ?? address.toLowerCase()
  }
}

const componentsOf = (parameter: AbiParameter): readonly AbiParameter[] =>
  'components' in parameter ? parameter.components : []

/** A recorded argument as the ABI's encoder wants it. */
function toArgument(parameter: AbiParameter, value: Recorded, names: Names): unknown {
  if (parameter.type === 'address') return names.addressOf(z.string().parse(value))
  if (parameter.type === 'tuple') {
    const fields = z.record(z.string(), z.json()).parse(value)
    return Object.fromEntries(
      componentsOf(parameter).map((field) => {
        const name = field.name ?? ''
        return [name, toArgument(field, z.json().parse(fields[name]), names)]
      }),
    )
  }
  // The encoder takes a bigint for every width of integer.
  if (parameter.type.startsWith('uint')) return BigInt(z.union([z.string(), z.number()]).parse(value))
  return value
}

/** A decoded value as the recordings write it. */
function toRecorded(parameter: AbiParameter, value: unknown, names: Names): Recorded {
  if (parameter.type.endsWith('[]')) {
    const item = { ...parameter, type: parameter.type.slice(0, -'[]'.length) }
    return z
      .array(z.unknown())
      .parse(value)
      .map((element) => toRecorded(item, element, names))
  }
  if (parameter.type === 'tuple') {
    const fields = z.record(z.string(), z.unknown()).parse(value)
    return Object.fromEntries(
      componentsOf(parameter).map((field) => [
        field.name ?? '',
        toRecorded(field, fields[field.name ?? ''], names),
      ]),
    )
  }
  if (parameter.type === 'address') return names.nameOf(z.string().parse(value))
  if (typeof value === 'bigint') return value.toString()
  return z.union([z.string(), z.number(), z.boolean()]).parse(value)
}

function findFunction(abi: Abi, name: string): AbiFunction {
  const found = abi.find((item) => item.type === 'function' && item.name === name)
  if (found?.type !== 'function') throw new Error(`The ABI has no function ${name}.`)
  return found
}

/** A selector is a hash, which a life needs for every view of every snapshot. */
const selectors = new WeakMap<AbiFunction, Hex>()

function selectorOf(item: AbiFunction): Hex {
  const selector = selectors.get(item) ?? toFunctionSelector(item)
  selectors.set(item, selector)
  return selector
}

/** Calldata of a recorded call. */
export function encodeCall(abi: Abi, name: string, args: readonly Recorded[], names: Names): Hex {
  const item = findFunction(abi, name)
  const values = item.inputs.map((input, index) => toArgument(input, z.json().parse(args[index]), names))
  return encodeFunctionData({ abi: [item], functionName: selectorOf(item), args: values })
}

/** What a view answered: the value itself where it has one, and an array where it has several. */
export function decodeAnswer(abi: Abi, name: string, data: Hex, names: Names): Recorded {
  const { outputs } = findFunction(abi, name)
  const values = decodeAbiParameters(outputs, data)
  const recorded = outputs.map((output, index) => toRecorded(output, values[index], names))
  return recorded.length === 1 ? z.json().parse(recorded[0]) : recorded
}

/** A revert as the recordings name it: its string, `Panic(17)`, a custom error with its arguments, or `empty`. */
export function describeRevert(abi: Abi, data: Hex, names: Names): string {
  if (data === '0x') return 'empty'
  try {
    const { abiItem, args, errorName } = decodeErrorResult({ abi, data })
    if (errorName === 'Error') return z.tuple([z.string()]).parse(args)[0]
    const inputs = 'inputs' in abiItem ? abiItem.inputs : []
    const written = inputs.map((input, index) => String(toRecorded(input, args?.[index], names)))
    return `${errorName}(${written.join(',')})`
  } catch {
    return data
  }
}

/** A log as the recordings write it. */
export function describeLog(
  abi: Abi,
  log: { address: Address; topics: [Hex, ...Hex[]] | []; data: Hex },
  names: Names,
): RecordedLog {
  const { eventName, args } = decodeEventLog({ abi, topics: log.topics, data: log.data })
  const event = abi.find((item): item is AbiEvent => item.type === 'event' && item.name === eventName)
  const values = z.record(z.string(), z.unknown()).parse(args)
  return {
    in: names.nameOf(log.address),
    event: z.string().parse(eventName),
    args: Object.fromEntries(
      (event?.inputs ?? []).map((input) => [
        input.name ?? '',
        toRecorded(input, values[input.name ?? ''], names),
      ]),
    ),
  }
}
