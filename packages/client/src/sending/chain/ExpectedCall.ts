import { type Abi, type Address, decodeFunctionData, encodeFunctionData, getAbiItem, type Hex } from 'viem'

/** A call that the client makes by itself, from the caller's request and from its own reads of the chain. */
export interface ExpectedCall {
  readonly to: Address
  readonly abi: Abi
  readonly functionName: string
  readonly args: readonly unknown[]
}

export function encodeCall({ abi, functionName, args }: ExpectedCall): Hex {
  return encodeFunctionData({ abi, functionName, args })
}

/** What is wrong with calldata that is not the expected one, in words. */
export function explainDifference(expected: ExpectedCall, data: string): string {
  const { abi, functionName } = expected
  // The expected calldata is decoded as well, so that addresses are spelled alike in both.
  const asked = decodeFunctionData({ abi, data: encodeCall(expected) })
  const given = decode(abi, data)
  if (given === undefined) return `its calldata is not a call of ${functionName}`
  if (given.functionName !== functionName) return `it calls ${given.functionName} and not ${functionName}`
  const item = getAbiItem({ abi, name: functionName })
  const inputs = item?.type === 'function' ? item.inputs : []
  return (
    inputs
      .map(({ name = '' }, index) => firstDifference(name, asked.args?.[index], given.args?.[index]))
      .find((difference) => difference !== undefined) ??
    `its calldata has bytes that do not belong to ${functionName}`
  )
}

function decode(abi: Abi, data: string) {
  try {
    return decodeFunctionData({ abi, data: `0x${data.slice(2)}` })
  } catch {
    return undefined
  }
}

function firstDifference(name: string, asked: unknown, given: unknown): string | undefined {
  if (isObject(asked) && isObject(given)) {
    return Object.keys(asked)
      .map((key) => firstDifference(`${name}.${key}`, asked[key], given[key]))
      .find((difference) => difference !== undefined)
  }
  return asked === given ? undefined : `its ${name} is ${String(given)}, and ${String(asked)} was asked for`
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
