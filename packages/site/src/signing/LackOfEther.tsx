import { formatHuman } from '@remit/protocol/amounts'
import { Note } from '../design/Card.tsx'
import { pageData } from '../page/pageData.ts'
import { AddMoney, ETHER } from '../wallet/AddMoney.tsx'
import { connected } from '../wallet/wallet.ts'
import { shortMoneyWords } from '../words/money.ts'
import type { EtherLack } from './etherLack.ts'

/** Says that the wallet has too little ether for the network's fee, how much is missing, and where to send it. */
export function LackOfEther({ lack: { balance, required } }: { readonly lack: EtherLack }) {
  const { value } = connected
  const missing = required - balance
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
        <AddMoney
          missing={{ amount: formatHuman(missing, 18), amountRaw: missing }}
          token={null}
          address={value.address}
        />
      )}
    </Note>
  )
}
