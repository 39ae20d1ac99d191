import {
  canPermit,
  PERMIT_TYPEHASHES,
  type PermitForm,
  type PermitToken,
  permitProbes,
  permitTypedData,
} from '@remit/protocol/signed/permit'
import { permitAbi } from '@remit/protocol/signed/tokenAbis'
import { type Address, encodeFunctionData, erc20Abi, type Hex, hexToBigInt } from 'viem'
import { ValidationError } from '../../../errors/input.ts'
import { PermitUnsupportedError } from '../../../errors/permit.ts'
import type { ChainView } from '../../../ports/chains.ts'
import { byRoute } from '../../../presentation/byRoute.ts'
import { isoTime } from '../../../presentation/day.ts'
import { MOST_PERMIT_SECONDS } from '../../../schema/signed.ts'
import type { Instead } from '../answer/prepareAnswer.ts'
import {
  type Asked,
  DOMAIN_QUESTIONS,
  domainIn,
  isContract,
  showsFunction,
  tryCalls,
  wordOf,
} from '../signed/tokenDomain.ts'

// What a token says of permits, and the permit that a wallet is offered to sign. A permit is a signed message that sets an allowance once
// somebody sends it to the token ("carries" it). It has one of two forms: EIP-2612, with an amount, or DAI's older one, which allows
// everything or nothing. A token that names no form is probed: by calls of its permit functions that must fail, and show by how they
// fail whether the function is there.

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

/** How a token takes permits of an owner. The EIP-712 domain is what the token's own separator shows: nothing is taken from lists. */
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
  const [hasEip2612 = false, takesBytes = false, hasDai = false] = probed.map(showsFunction)
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

/** The token's form: by the type that it publishes, else by the one permit function that it was seen to have. */
function formOf(
  typehash: Hex | undefined,
  has: Readonly<Record<PermitForm, boolean>>,
): PermitForm | undefined {
  const forms = ['eip2612', 'dai'] as const
  if (typehash !== undefined) return forms.find((form) => PERMIT_TYPEHASHES[form] === typehash)
  const shown = forms.filter((form) => has[form])
  return shown.length === 1 ? shown[0] : undefined
}

/** For how long a permit holds by default. It is to be carried at once, and whoever holds it can use it until it ends. */
const PERMIT_SECONDS = 3_600

/**
 * The permit to sign, by which a wallet sets the protocol's allowance without a transaction of its own.
 *
 * Throws PermitUnsupportedError; ValidationError for a deadline that is over or too far ahead.
 */
export function offerPermit(
  chain: Pick<ChainView, 'contractAddress' | 'chainId' | 'now'>,
  support: PermitSupport,
  wish: {
    readonly token: Address
    readonly owner: Address
    /** The allowance to be, raw units. */
    readonly value: bigint
    readonly permitDeadline: number | undefined
    /** What follows once it is carried. */
    readonly afterwards?: string
  },
): Instead {
  const { token, owner, value, afterwards } = wish
  const { permitDeadline: deadline = chain.now + PERMIT_SECONDS } = wish
  if (deadline <= chain.now)
    throw ValidationError.of('permitDeadline', 'is over already, by the chain’s clock')
  if (deadline > chain.now + MOST_PERMIT_SECONDS) {
    throw ValidationError.of('permitDeadline', 'is more than 7 days ahead')
  }
  const known = requirePermits(token, support)
  if (!canPermit(known.form, value)) {
    throw new PermitUnsupportedError(
      token,
      'its permit allows everything or nothing, and no amount; infiniteApproval: true asks for everything',
    )
  }
  const permit = { owner, spender: chain.contractAddress, value, deadline }
  const allowance = known.form === 'dai' ? { allowed: value > 0n } : { value: value.toString() }
  const signed = { token, owner, ...allowance, deadline, signature: '<signature>' }
  return {
    permit: { ...permitTypedData(known, permit), deadline, nonce: known.nonce },
    steps: [
      `Sign \`permit\` with the wallet ${owner} (eth_signTypedData_v4). It costs no gas and changes nothing by itself. The ` +
        `digest that is signed must be the one given here.`,
      `Whoever has the signature can carry it until ${isoTime(deadline)}, also after another approval or a revocation: ask ` +
        `prepare_carry_permit${byRoute(`POST /prepare/carry_permit?chainId=${chain.chainId}`)} with \`from\`, who pays the gas, ` +
        `and ${JSON.stringify(signed)}.`,
      ...(afterwards === undefined ? [] : [afterwards]),
    ],
  }
}

/**
 * The form, domain and nonce of the token's permits (`PermitSupport.token`).
 *
 * Throws PermitUnsupportedError where the token takes none, or the owner is a contract and it takes none of contracts.
 */
export function requirePermits(token: Address, { token: known, isContract, takesContracts }: PermitSupport) {
  if (known === undefined) {
    throw new PermitUnsupportedError(
      token,
      'it has no permit that can be made out from what it says of itself',
    )
  }
  if (isContract && !(takesContracts && known.form === 'eip2612')) {
    throw new PermitUnsupportedError(
      token,
      'the wallet is a contract, and the token takes signatures of keys alone',
    )
  }
  return known
}
