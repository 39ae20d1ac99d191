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
} from 'viem'
import { type Trial, wordOf } from './tryCalls.ts'

/** Versions of tokens that do not publish theirs. */
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
 * The domain for which a token takes signatures: what the token's own separator shows. Nothing is taken from lists. `undefined` where
 * it is not to be made out.
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

/** What EIP-5267 says, with the fields that it says are used. */
function statedDomain(trial: Trial | undefined): TokenDomain[] {
  if (trial?.succeeded !== true) return []
  try {
    const [fields, name, version, chainId, verifyingContract, salt] = decodeFunctionResult({
      abi: permitAbi,
      functionName: 'eip712Domain',
      data: trial.answer,
    })
    const used = (bit: number) => (Number(fields) & (1 << bit)) !== 0
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

/** What a token's name and version leave open. Some tokens of bridges state their chain as a salt. */
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
