import { type Address, decodeFunctionResult, encodeFunctionData } from 'viem'
import type { TokenFacts } from '../ports/chainReads.ts'
import { askPages, type Lens, lensAbi } from './lens.ts'
import { tokenFacts } from './lensRows.ts'

/** The most tokens in one call: their addresses must fit beside the lens into the code of one contract creation. */
const MOST_CANDIDATES = 500

/** The candidates that the protocol has approved, in their order. */
export async function readTokens(lens: Lens, candidates: readonly Address[]): Promise<TokenFacts[]> {
  const distinct = [...new Set(candidates)]
  const found: TokenFacts[] = []
  for (let from = 0; from < distinct.length; from += MOST_CANDIDATES) {
    const some = distinct.slice(from, from + MOST_CANDIDATES)
    const pages = await askPages(
      0n,
      (start) => {
        const args = [lens.protocol, some, start] as const
        const question = encodeFunctionData({ abi: lensAbi, functionName: 'tokens', args })
        return lens.ask(question, (data) => {
          const [, tokens, next] = decodeFunctionResult({ abi: lensAbi, functionName: 'tokens', data })
          return { tokens, next }
        })
      },
      ({ next }) => (next === 0n ? undefined : next),
    )
    found.push(...pages.flatMap(({ tokens }) => tokens.map(tokenFacts)))
  }
  return found
}
