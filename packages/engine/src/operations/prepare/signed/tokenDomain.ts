import { TrialLens } from '@remit/contracts/TrialLens'
import { domainOf, type TokenDomain } from '@remit/protocol/signed/signatures'
import { permitAbi } from '@remit/protocol/signed/tokenAbis'
import {
  type Address,
  decodeAbiParameters,
  decodeFunctionResult,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  numberToHex,
  size,
} from 'viem'
import { UpstreamError } from '../../../errors/chain.ts'
import type { ChainView } from '../../../ports/chains.ts'

// What a token says of itself, for signed permits (EIP-2612) and signed transfers (EIP-3009): its EIP-712 domain, and by
// calls that are tried in one eth_call, which functions it has. A signature holds for one domain: name, version, chain and address of
// the token in a struct, whose hash is the token's "separator". Tokens publish the hash; the struct is what is sought.

/** The versions that tokens have which do not publish theirs. */
const USUAL_VERSIONS = ['1', '2']

const ask = (functionName: 'DOMAIN_SEPARATOR' | 'eip712Domain' | 'version') =>
  encodeFunctionData({ abi: permitAbi, functionName })

/** What is asked of a token to find its domain out. */
export const DOMAIN_QUESTIONS: readonly Hex[] = [
  ask('DOMAIN_SEPARATOR'),
  ask('eip712Domain'),
  encodeFunctionData({ abi: erc20Abi, functionName: 'name' }),
  ask('version'),
]

/**
 * The domain for which a token takes signatures: the one, of those that it states or is likely to have, whose hash is the token's own
 * separator. No list of known tokens is used. `undefined` where none has that hash.
 * @param trials what became of `DOMAIN_QUESTIONS`, in that order
 */
export function domainIn(
  { chainId, token }: { readonly chainId: number; readonly token: Address },
  [separator, stated, name, version]: readonly Trial[],
): TokenDomain | undefined {
  return domainOf({ token, chainId, separator: wordOf(separator) ?? '0x' }, [
    ...statedDomain(stated),
    ...likelyDomains({ chainId, token, name: textOf(name), version: textOf(version) }),
  ])
}

/** The domain that the token states by EIP-5267, with the fields that it says are used; empty where it states none. */
function statedDomain(trial: Trial | undefined): TokenDomain[] {
  if (trial?.succeeded !== true) return []
  try {
    const [fields, name, version, chainId, verifyingContract, salt] = decodeFunctionResult({
      abi: permitAbi,
      functionName: 'eip712Domain',
      data: trial.answer,
    })
    // The bits stand for name, version, chainId, verifyingContract and salt, in this order.
    const used = (bit: number) => (Number(fields) & (1 << bit)) !== 0
    // A domain without the token's address would hold for other contracts too.
    if (!used(3)) return []
    return [
      {
        ...(used(0) && { name }),
        ...(used(1) && { version }),
        ...(used(2) && { chainId: Number(chainId) }),
        verifyingContract,
        ...(used(4) && { salt }),
      },
    ]
  } catch {
    return []
  }
}

/** The domains that a token of this name may have. Some tokens of bridges state their chain as a salt. */
function likelyDomains(known: {
  chainId: number
  token: Address
  name: string | undefined
  version: string | undefined
}): TokenDomain[] {
  const { chainId, token: verifyingContract, name, version } = known
  if (name === undefined) return []
  const versions = [...new Set([version, ...USUAL_VERSIONS, undefined])]
  const salt = numberToHex(chainId, { size: 32 })
  return versions
    .map((one) => ({ name, ...(one !== undefined && { version: one }), verifyingContract }))
    .flatMap((domain) => [
      { ...domain, chainId },
      { ...domain, salt },
    ])
}

/** `undefined` for what is no text, such as the 32 bytes of some older tokens. */
function textOf(trial: Trial | undefined): string | undefined {
  if (trial?.succeeded !== true) return undefined
  try {
    return decodeAbiParameters([{ type: 'string' }], trial.answer)[0]
  } catch {
    return undefined
  }
}

const { abi, deployedBytecode } = TrialLens

/** The chain that is asked, at the view's block. */
export type Asked = Pick<ChainView, 'chainId'> & { readonly read: Pick<ChainView['read'], 'lend'> }

/** What became of a call that was tried. */
export interface Trial {
  readonly succeeded: boolean
  /** What it returned or reverted with, cut at 1,024 bytes. */
  readonly answer: Hex
}

/**
 * Runs calls on a foreign contract in one eth_call: each sees what those before it changed, and nothing of it stays.
 * @param account whose size of code is read beside them, in bytes: it tells a contract wallet from a key's
 */
export async function tryCalls(
  { read, chainId }: Asked,
  target: Address,
  account: Address,
  calls: readonly Hex[],
): Promise<{ codeSize: bigint; trials: readonly Trial[] }> {
  const question = encodeFunctionData({ abi, functionName: 'tryCalls', args: [target, account, calls] })
  const answer = await read.lend(deployedBytecode, question)
  try {
    const [, codeSize, trials] = decodeFunctionResult({ abi, functionName: 'tryCalls', data: answer })
    if (trials.length === calls.length) return { codeSize, trials }
  } catch (cause) {
    throw new UpstreamError(chainId, { cause })
  }
  throw new UpstreamError(chainId, { cause: new RangeError('another number of answers than of calls') })
}

/** The one word that a call returned; `undefined` where it failed or returned anything else. */
export function wordOf(trial: Trial | undefined): Hex | undefined {
  return trial?.succeeded === true && size(trial.answer) === 32 ? trial.answer : undefined
}

/**
 * Whether a probe, a call that must fail, shows that its function is there: it reverts with a reason. A token without the
 * function reverts without one, or does not revert at all (wrapped ether takes any call).
 */
export function showsFunction(probe: Trial | undefined): boolean {
  return probe?.succeeded === false && size(probe.answer) > 0
}

/** The size of code of an account that has delegated itself to a contract (EIP-7702). Its key still signs. */
const DELEGATION_BYTES = 23n

/** Whether an account is a contract, which has no key, by the size of its code. */
export function isContract(codeSize: bigint): boolean {
  return codeSize !== 0n && codeSize !== DELEGATION_BYTES
}
