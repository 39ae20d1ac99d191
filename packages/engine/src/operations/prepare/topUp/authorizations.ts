import {
  AUTHORIZATION_TYPEHASH,
  type Authorization,
  authorizationCalls,
  authorizationNonce,
  authorizationProbes,
  authorizationTypedData,
} from '@remit/protocol/signed/authorization'
import type { TokenDomain } from '@remit/protocol/signed/signatures'
import { authorizationAbi } from '@remit/protocol/signed/tokenAbis'
import { type Address, encodeFunctionData, erc20Abi, type Hex, hexToBigInt } from 'viem'
import { isSignedByKey } from '../../../block/signatures.ts'
import { AuthorizationUnsupportedError, AuthorizationVoidError } from '../../../errors/authorization.ts'
import type { ChainView } from '../../../ports/chains.ts'
import {
  type Asked,
  DOMAIN_QUESTIONS,
  domainIn,
  isContract,
  showsFunction,
  tryCalls,
  wordOf,
} from '../signed/tokenDomain.ts'

// An authorization (EIP-3009) is a signed transfer that somebody else sends ("carries") to the token. Here: whether a token
// takes them, and whether one that was handed in can still be carried. A token is asked by calls that are tried in one eth_call: among
// them probes, calls that must fail and show by how they fail whether the token has the function (signed/tokenDomain.ts).

/** Whether and how a payer can sign for a transfer of a token. */
export interface AuthorizationSupport {
  /** `undefined` where the token has no EIP-3009, or a domain that is not to be made out. */
  readonly domain: TokenDomain | undefined
  /** Whether it takes the signature of a contract wallet (the bytes form of EIP-7598). */
  readonly takesContracts: boolean
  /** Whether the payer is a contract, which has no key. */
  readonly isContract: boolean
  /** Whether this authorization's nonce is used: by its transfer, or by cancelling it. Tokens do not tell these apart. */
  readonly isUsed: boolean
  /** Of the payer, raw units; `undefined` where the token does not say. */
  readonly balance: bigint | undefined
}

/** How a token takes authorizations of a payer, and what it says of this one. Nothing is taken from lists. */
export async function readAuthorizationSupport(
  asked: Asked,
  token: Address,
  authorization: Authorization,
): Promise<AuthorizationSupport> {
  const { from: payer } = authorization
  const nonce = authorizationNonce({ chainId: asked.chainId, token }, authorization)
  const probes = authorizationProbes(payer)
  const { codeSize, trials } = await tryCalls(asked, token, payer, [
    ...DOMAIN_QUESTIONS,
    encodeFunctionData({ abi: authorizationAbi, functionName: 'TRANSFER_WITH_AUTHORIZATION_TYPEHASH' }),
    stateOf(payer, nonce),
    balanceOf(payer),
    probes.key,
    probes.bytes,
  ])
  const [typehash, state, balance, byKey, byBytes] = trials.slice(DOMAIN_QUESTIONS.length)
  const [type, used, held] = [wordOf(typehash), wordOf(state), wordOf(balance)]
  const takesKeys = used !== undefined && (type ?? AUTHORIZATION_TYPEHASH) === AUTHORIZATION_TYPEHASH
  return {
    domain:
      takesKeys && showsFunction(byKey) ? domainIn({ chainId: asked.chainId, token }, trials) : undefined,
    takesContracts: showsFunction(byBytes),
    isContract: isContract(codeSize),
    isUsed: used !== undefined && hexToBigInt(used) !== 0n,
    balance: held === undefined ? undefined : hexToBigInt(held),
  }
}

/**
 * The domain for which the payer signs.
 *
 * Throws AuthorizationUnsupportedError where the token has no authorizations, or none of a contract.
 */
export function requireAuthorizations(
  token: Address,
  { domain, takesContracts, isContract: isOfContract }: AuthorizationSupport,
): TokenDomain {
  if (domain === undefined) {
    throw new AuthorizationUnsupportedError(
      token,
      'it has no transferWithAuthorization (EIP-3009) that can be made out from what it says of itself',
    )
  }
  if (isOfContract && !takesContracts) {
    throw new AuthorizationUnsupportedError(
      token,
      'the wallet is a contract, and the token takes signatures of keys alone',
    )
  }
  return domain
}

/** An authorization as it was handed in. */
export interface Handed {
  readonly token: Address
  readonly authorization: Authorization
  readonly signature: Hex
}

/** What a token makes of an authorization that was handed in. */
export interface HandedRead {
  readonly support: AuthorizationSupport
  readonly trials: readonly CarryTrial[]
}

interface CarryTrial {
  readonly call: Hex
  readonly succeeded: boolean
  /** The receiver's balance before and afterwards, raw units; `undefined` where the token does not say. */
  readonly balance: readonly [before: bigint | undefined, after: bigint | undefined]
}

/** Asks all that there is to ask of an authorization at once, so that it shares a request with what else is read. */
export async function readHanded(chain: Asked, handed: Handed): Promise<HandedRead> {
  const { token, authorization, signature } = handed
  const nonce = authorizationNonce({ chainId: chain.chainId, token }, authorization)
  const [support, trials] = await Promise.all([
    readAuthorizationSupport(chain, token, authorization),
    Promise.all(
      authorizationCalls(authorization, nonce, signature).map((call) =>
        tryCarrying(chain, token, authorization.to, call),
      ),
    ),
  ])
  return { support, trials }
}

async function tryCarrying(asked: Asked, token: Address, to: Address, call: Hex): Promise<CarryTrial> {
  const { trials } = await tryCalls(asked, token, to, [balanceOf(to), call, balanceOf(to)])
  const [before, carried, after] = trials
  const [heldBefore, heldAfter] = [wordOf(before), wordOf(after)]
  return {
    call,
    succeeded: carried?.succeeded === true,
    balance: [heldBefore && hexToBigInt(heldBefore), heldAfter && hexToBigInt(heldAfter)],
  }
}

/**
 * Judges an authorization at the view's block, as its token would take it: what carries it, or `undefined` where its nonce is used.
 *
 * Throws AuthorizationVoidError, AuthorizationUnsupportedError.
 */
export async function judgeAuthorization(
  chain: Pick<ChainView, 'chainId' | 'now' | 'isSignedByContract'>,
  { token, authorization, signature }: Handed,
  { support, trials }: HandedRead,
): Promise<Hex | undefined> {
  const { from: payer, to: account, value, validBefore } = authorization
  const domain = requireAuthorizations(token, support)
  const working = trials.find(({ succeeded }) => succeeded)
  // By the time of the next block, in which it would be mined. The trials ran at the time of the view's block.
  const isExpired = validBefore <= chain.now
  if (working !== undefined && !isExpired) {
    const [before, after] = working.balance
    if (before !== undefined && after === before + value) return working.call
    throw new AuthorizationUnsupportedError(token, 'the token takes it, and another amount arrives')
  }
  const nonce = authorizationNonce({ chainId: chain.chainId, token }, authorization)
  const { digest: hash } = authorizationTypedData(domain, nonce, authorization)
  const claim = { address: payer, hash, signature }
  const isSigned =
    (await isSignedByKey(claim)) || (support.isContract && (await chain.isSignedByContract(claim)))
  const facts = { token, payer, account }
  if (!isSigned) throw new AuthorizationVoidError(facts, 'signature')
  if (support.isUsed) return undefined
  if (isExpired) throw new AuthorizationVoidError(facts, 'expired')
  const { balance } = support
  throw new AuthorizationVoidError(facts, balance !== undefined && balance < value ? 'balance' : 'refused')
}

function stateOf(payer: Address, nonce: Hex): Hex {
  return encodeFunctionData({
    abi: authorizationAbi,
    functionName: 'authorizationState',
    args: [payer, nonce],
  })
}

function balanceOf(account: Address): Hex {
  return encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [account] })
}
