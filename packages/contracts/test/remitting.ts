import { describeLogs } from '@remit/testing/support/chain/describeLogs'
import { type Protocol, type Terms, units } from '@remit/testing/support/chain/protocolOn'
import type { TestChain } from '@remit/testing/support/chain/useTestChain'

/** Steps that the tests of remit share. The caller is the keeper. */
export function remittingOn(chain: TestChain, protocol: Protocol) {
  const { admin, keeper } = chain.wallets
  const remit = async () => describeLogs(chain, await protocol.send(keeper, 'remit', []))
  return {
    remit,
    reverts: () => protocol.reverts(keeper, 'remit', []),
    /** As `remit`, where exactly one day is unchecked. */
    async remitOnly(day: number) {
      await protocol.send(admin, 'setNextUncheckedDay', [day])
      return remit()
    },
    /** Who was charged or dropped by one remit, and how it ended. */
    async charged() {
      const lines = await remit()
      const names = lines.flatMap((line) => /^(?:SUBPAID|FAILED) (\w+)/.exec(line)?.[1] ?? [])
      return [...names, lines.at(-1)?.replace(/CallerLog \d+ /, '')]
    },
    /** 7 USDC a week: 0.14 to the caller each time; a Wednesday's fee balance, filled on a Monday, is 2. */
    weekly: (terms: Terms = {}) => protocol.create({ amount: units('7'), dueDay: 3, ...terms }),
  }
}
