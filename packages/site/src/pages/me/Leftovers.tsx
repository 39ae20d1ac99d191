import type { GetAccountOutlookAnswer, Token } from '@remit/client'
import { answerNow } from '../../page/live.ts'
import { Leftover } from './Leftover.tsx'
import type { Membership } from './memberships.ts'

/** A permission outlives what it was given for. It stays in sight until it is taken back. */
export function Leftovers({ rows }: { readonly rows: readonly Membership[] }) {
  const outlook = answerNow('outlook', 'getAccountOutlook')
  const tokens = outlook === undefined ? [] : unusedTokens(rows, outlook)
  return (
    <>
      {tokens.map((token) => (
        <Leftover key={token.address} token={token} />
      ))}
    </>
  )
}

/** Those that nothing draws on any more. The others stand on the page with what is left of them. */
function unusedTokens(rows: readonly Membership[], { wallet }: GetAccountOutlookAnswer): Token[] {
  const used = new Set<string>(wallet.tokens.map(({ token }) => token.address))
  const unused = rows
    .map(({ subscription }) => subscription.token)
    .filter(({ address }) => !used.has(address))
  return [...new Map(unused.map((token) => [token.address, token])).values()]
}
