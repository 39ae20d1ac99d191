import type { Warning } from '@remit/client'
import { formatHuman } from '@remit/protocol/amounts'
import { Note } from '../design/Card.tsx'
import { pageData } from '../page/pageData.ts'
import { AddMoney, ETHER } from '../wallet/AddMoney.tsx'
import { connected } from '../wallet/wallet.ts'
import { shortMoneyWords } from '../words/money.ts'

/** Ether that a wallet lacks for the network's fee, in wei. */
export interface EtherLack {
  readonly balance: bigint
  /** The most that the network may take. */
  readonly required: bigint
}

/** How much ether the wallet lacks for what was prepared; `undefined` where it has enough. */
export function etherLack(warnings: readonly Warning[]): EtherLack | undefined {
  const warning = warnings.find(({ code }) => code === 'INSUFFICIENT_GAS_FUNDS')
  const { balanceWei, requiredWei } = Object(warning)
  if (typeof balanceWei !== 'string' || typeof requiredWei !== 'string') return undefined
  return { balance: BigInt(balanceWei), required: BigInt(requiredWei) }
}

/** How much ether is missing, and where to send it. */
export function LackOfEther({ lack: { balance, required } }: { readonly lack: EtherLack }) {
  const { value } = connected
  const ether = (wei: bigint, rounding: 'up' | 'down') =>
    shortMoneyWords(formatHuman(wei, 18), ETHER, rounding)
  return (
    <Note kind="mind">
      <p>
        <strong>Too little ETH for the network’s fee</strong>
      </p>
      <p>
        The network may take up to {ether(required, 'up')}, and your wallet holds {ether(balance, 'down')} on{' '}
        {pageData.chain?.name}. Most wallets refuse to sign then: nothing is sent, and nothing is paid.
      </p>
      {value === undefined ? null : (
        <AddMoney amount={formatHuman(required - balance, 18)} token={null} address={value.address} />
      )}
    </Note>
  )
}
