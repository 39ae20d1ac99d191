import {
  domainOf,
  PERMIT_TYPEHASHES,
  type PermitDomain,
  type PermitForm,
  type PermitToken,
  permitProbes,
} from '@remit/protocol/permit'
import { permitAbi } from '@remit/protocol/permitAbi'
import {
  type Address,
  decodeAbiParameters,
  decodeFunctionResult,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  hexToBigInt,
  numberToHex,
  size,
} from 'viem'
import { type Asked, type Trial, tryCalls } from './tryCalls.ts'

/** The code of an account that has delegated itself to a contract (EIP-7702). Its key signs on. */
const DELEGATION_BYTES = 23

/** Versions of tokens that do not publish theirs. */
const USUAL_VERSIONS = ['1', '2']

/** Whether and how an owner can sign for an allowance of a token. */
export interface PermitSupport {
  /** `undefined` where the token has no permit, or one whose domain or type is not to be made out. */
  readonly token: PermitToken | undefined
  /** Whether it takes the signature of a contract wallet (the bytes form of EIP-7598). */
  readonly takesContracts: boolean
  /** Whether the owner is a contract, which has no key. */
  readonly isContract: boolean
}

/** What carrying a permit would do at this block. */
export interface PermitTrial {
  readonly succeeded: boolean
  /** The owner's allowance for the spender afterwards, raw units; `undefined` where the token does not say. */
  readonly allowance: bigint | undefined
  /** The owner's next nonce afterwards; `undefined` where the token does not say. */
  readonly nonce: bigint | undefined
}

/**
 * How a token takes permits of an owner. The domain is what the token's own separator shows: nothing is taken from lists.
 * `token` is `undefined` where it has no permit, or one whose domain or type is not to be made out.
 */
export async function readPermitSupport(
  asked: Asked,
  token: Address,
  owner: Address,
): Promise<PermitSupport> {
  const probes = permitProbes(owner)
  const ask = (functionName: 'DOMAIN_SEPARATOR' | 'PERMIT_TYPEHASH' | 'eip712Domain' | 'version') =>
    encodeFunctionData({ abi: permitAbi, functionName })
  const { codeSize, trials } = await tryCalls(asked, token, owner, [
    ask('DOMAIN_SEPARATOR'),
    encodeFunctionData({ abi: permitAbi, functionName: 'nonces', args: [owner] }),
    ask('PERMIT_TYPEHASH'),
    ask('eip712Domain'),
    encodeFunctionData({ abi: erc20Abi, functionName: 'name' }),
    ask('version'),
    probes.eip2612,
    probes.bytes,
    probes.dai,
  ])
  const [separator, nonce, typehash, stated, name, version, ...probed] = trials
  const { chainId } = asked
  const domain = domainOf({ token, chainId, separator: wordOf(separator) ?? '0x' }, [
    ...statedDomain(stated),
    ...likelyDomains({ chainId, token, name: textOf(name), version: textOf(version) }),
  ])
  const [hasEip2612, takesBytes, hasDai] = probed.map(says)
  const form = formOf(wordOf(typehash), { eip2612: hasEip2612 === true, dai: hasDai === true })
  const next = wordOf(nonce)
  return {
    token:
      domain === undefined || form === undefined || next === undefined
        ? undefined
        : { form, domain, nonce: hexToBigInt(next) },
    takesContracts: takesBytes === true,
    isContract: codeSize !== 0n && codeSize !== BigInt(DELEGATION_BYTES),
  }
}

/** What a permit would do now, whoever carries it. */
export async function tryPermit(
  asked: Asked,
  token: Address,
  { owner, spender, call }: { owner: Address; spender: Address; call: Hex },
): Promise<PermitTrial> {
  const { trials } = await tryCalls(asked, token, owner, [
    call,
    encodeFunctionData({ abi: erc20Abi, functionName: 'allowance', args: [owner, spender] }),
    encodeFunctionData({ abi: permitAbi, functionName: 'nonces', args: [owner] }),
  ])
  const [permit, allowance, nonce] = trials
  const [after, next] = [wordOf(allowance), wordOf(nonce)]
  return {
    succeeded: permit?.succeeded === true,
    allowance: after === undefined ? undefined : hexToBigInt(after),
    nonce: next === undefined ? undefined : hexToBigInt(next),
  }
}

/** A token without the function does not say why it refuses, or does not refuse at all (wrapped ether takes any call). */
function says(probe: Trial): boolean {
  return !probe.succeeded && size(probe.answer) > 0
}

/** By the type that the token publishes, else by the only function that it shows. */
function formOf(
  typehash: Hex | undefined,
  has: Readonly<Record<PermitForm, boolean>>,
): PermitForm | undefined {
  const forms = ['eip2612', 'dai'] as const
  if (typehash !== undefined) return forms.find((form) => PERMIT_TYPEHASHES[form] === typehash)
  const shown = forms.filter((form) => has[form])
  return shown.length === 1 ? shown[0] : undefined
}

/** What EIP-5267 says, with the fields that it says are used. */
function statedDomain(trial: Trial | undefined): PermitDomain[] {
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
}): PermitDomain[] {
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

function wordOf(trial: Trial | undefined): Hex | undefined {
  return trial?.succeeded === true && size(trial.answer) === 32 ? trial.answer : undefined
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
