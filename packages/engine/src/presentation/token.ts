import { formatHuman, toRaw } from '@remit/protocol/amounts'
import type { Address } from 'viem'
import type { LastingToken, TokenFacts } from '../ports/chainReads.ts'
import type { Quantity, Token } from '../schema/amount.ts'
import type { Warning } from '../schema/envelope.ts'

/** A token as answers state it. Its decimals are those of the contract's entry, and every amount uses them. */
export function toToken({ address, symbol, name, decimals }: LastingToken): Token {
  return { address, symbol, name, decimals }
}

/**
 * One of the tokens that an answer has read. It is always there: subscriptions are in tokens that the protocol has approved,
 * and it never takes an approval back.
 */
export function getToken(tokens: ReadonlyMap<Address, LastingToken>, address: Address): LastingToken {
  const token = tokens.get(address)
  if (token === undefined) throw new RangeError(`the protocol has not approved ${address}`)
  return token
}

/** An amount in the token's smallest unit, as rows state it. */
export function quantity(amountRaw: bigint, { decimals }: Pick<TokenFacts, 'decimals'>): Quantity {
  return { amount: formatHuman(amountRaw, decimals), amountRaw, tokenDecimals: decimals }
}

/** An amount in protocol units, as the contract would transfer it. */
export function protocolQuantity(amount: bigint, token: Pick<TokenFacts, 'decimals'>): Quantity {
  return quantity(toRaw(amount, token.decimals), token)
}

/** A fee balance in protocol units, as rows state it. */
export function feeBalanceRow(feeBalance: bigint, token: Pick<TokenFacts, 'decimals'>) {
  const stated = protocolQuantity(feeBalance, token)
  return { feeBalance: stated, feeBalanceRaw: stated.amountRaw, tokenDecimals: stated.tokenDecimals }
}

/** A warning where the contract's entry and the token have different decimals; `undefined` where they agree. */
export function decimalsMismatch(
  token: LastingToken,
): (Warning & { code: 'TOKEN_DECIMALS_MISMATCH' }) | undefined {
  if (token.decimals === token.ownDecimals) return undefined
  return {
    code: 'TOKEN_DECIMALS_MISMATCH',
    message:
      `The protocol counts ${token.decimals} decimals for the token ${token.address}, which itself says ` +
      `${token.ownDecimals}: amounts here are what the contract moves, and wallets will show other figures.`,
    token: token.address,
    protocolDecimals: token.decimals,
    ownDecimals: token.ownDecimals,
  }
}

/** The same as a list, for writes that must stay possible. */
export function mismatchWarnings(token: LastingToken): Warning[] {
  const mismatch = decimalsMismatch(token)
  return mismatch === undefined ? [] : [mismatch]
}

/** The `warnings` of a read over these tokens, with others, or no field at all. */
export function tokenWarnings(
  tokens: readonly LastingToken[],
  others: readonly Warning[] = [],
): { warnings?: readonly Warning[] } {
  const byAddress = new Map(tokens.map((token) => [token.address, token]))
  const warnings = [...[...byAddress.values()].flatMap(mismatchWarnings), ...others]
  return warnings.length === 0 ? {} : { warnings }
}
