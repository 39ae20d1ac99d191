import {
  PERMIT_TYPEHASHES,
  type PermitForm,
  type PermitToken,
  permitProbes,
} from '@remit/protocol/signed/permit'
import { permitAbi } from '@remit/protocol/signed/tokenAbis'
import { type Address, encodeFunctionData, erc20Abi, type Hex, hexToBigInt } from 'viem'
import { DOMAIN_QUESTIONS, domainIn } from '../signed/tokenDomain.ts'
import { type Asked, isContract, saysWhy, tryCalls, wordOf } from '../signed/tryCalls.ts'

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
  const { codeSize, trials } = await tryCalls(asked, token, owner, [
    ...DOMAIN_QUESTIONS,
    encodeFunctionData({ abi: permitAbi, functionName: 'nonces', args: [owner] }),
    encodeFunctionData({ abi: permitAbi, functionName: 'PERMIT_TYPEHASH' }),
    probes.eip2612,
    probes.bytes,
    probes.dai,
  ])
  const [nonce, typehash, ...probed] = trials.slice(DOMAIN_QUESTIONS.length)
  const domain = domainIn({ chainId: asked.chainId, token }, trials)
  const [hasEip2612 = false, takesBytes = false, hasDai = false] = probed.map(saysWhy)
  const form = formOf(wordOf(typehash), { eip2612: hasEip2612, dai: hasDai })
  const next = wordOf(nonce)
  return {
    token:
      domain === undefined || form === undefined || next === undefined
        ? undefined
        : { form, domain, nonce: hexToBigInt(next) },
    takesContracts: takesBytes,
    isContract: isContract(codeSize),
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
