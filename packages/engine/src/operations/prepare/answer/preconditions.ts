import type { Address } from 'viem'
import type { TokenFacts } from '../../../ports/chainReads.ts'
import { byRoute } from '../../../presentation/byRoute.ts'
import { decimalsMismatch, quantity } from '../../../presentation/token.ts'
import type { Issue } from '../../../schema/envelope.ts'

// Words and facts for the issues and warnings of prepares, and the preconditions that several of them share.

/** A token amount as a fact of an issue or a warning: facts are wire values already. */
export function quantityFact(amountRaw: bigint, token: Pick<TokenFacts, 'decimals'>) {
  return { ...quantity(amountRaw, token), amountRaw: amountRaw.toString() }
}

/**
 * The name of a token in a sentence: its symbol if that is harmless, else its address.
 *
 * A stranger wrote the symbol, and agents may read these sentences as instructions.
 */
export function tokenWord({ symbol, address }: Pick<TokenFacts, 'symbol' | 'address'>): string {
  return symbol !== null && /^[A-Za-z0-9.$_-]{1,16}$/.test(symbol) ? symbol : address
}

/** "10.5 USDC", for sentences. */
export function inWords(amountRaw: bigint, token: TokenFacts): string {
  return `${quantity(amountRaw, token).amount} ${tokenWord(token)}`
}

/** "1 subscription", "2 subscriptions", for sentences. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** The protocol has not approved the token. */
export function tokenNotApproved(address: Address): Issue {
  const message = `The protocol has not approved the token ${address}; list_approved_tokens${byRoute('GET /approved-tokens')} lists those it has.`
  return { code: 'TOKEN_NOT_APPROVED', message, token: address }
}

/** Every precondition that fails because of the token. */
export function tokenIssues(token: TokenFacts): Issue[] {
  const paused: Issue = {
    code: 'TOKEN_PAUSED',
    message: `The protocol has paused the token ${token.address}; nothing can be created or subscribed in it now.`,
    token: token.address,
  }
  const mismatch = decimalsMismatch(token)
  return [...(token.paused ? [paused] : []), ...(mismatch === undefined ? [] : [mismatch])]
}
