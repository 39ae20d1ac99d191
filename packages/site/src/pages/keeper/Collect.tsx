import type { GasSummary, RemitReadiness } from '@remit/client'
import { Button } from '../../design/Button.tsx'
import { Card, Facts } from '../../design/Card.tsx'
import { useKeptFocus } from '../../design/frame/useKeptFocus.ts'
import { Term } from '../../design/Term.tsx'
import { shortEther } from '../../signing/ReviewFoot.tsx'
import { askToSign } from '../../signing/SigningDialog.tsx'
import { WalletChoice, WrongChain } from '../../wallet/WalletButton.tsx'
import { connected } from '../../wallet/wallet.ts'
import { collectRequest } from './collectRequest.tsx'
import { perToken } from './perToken.tsx'

interface CollectProps {
  readonly details: RemitReadiness
  readonly gas: GasSummary | undefined
}

/** What collecting all that waits earns and costs, and the button for its first transaction. */
export function Collect({ details, gas }: CollectProps) {
  const { callerFees, expectedTransactions } = details
  const cost = gas?.totalBacklogEstimatedCostEth ?? gas?.totalEstimatedCostEth
  const isMany = expectedTransactions > 1
  const place = useKeptFocus()
  return (
    <Card title="What it earns and costs">
      <div class="stack">
        <Facts
          rows={[
            ...perToken('You earn', callerFees),
            [
              <Term
                key="cost"
                means="What the network takes for carrying out your transactions, by its present price. It changes by the minute; your wallet shows the exact one."
              >
                The network takes
              </Term>,
              cost === undefined ? 'not known' : `about ${shortEther(cost)} ETH`,
            ],
            [
              'That takes',
              isMany ? `${expectedTransactions} transactions, one after the other` : 'one transaction',
            ],
          ]}
        />
        <div class="stack" ref={place}>
          {connected.value === undefined ? (
            <>
              <p>Connect a wallet to collect it.</p>
              <WalletChoice />
            </>
          ) : (
            <>
              <WrongChain />
              <Button kind="primary" isWide onClick={() => askToSign(collectRequest(callerFees))}>
                {isMany ? 'Collect the first …' : 'Collect …'}
              </Button>
              <p class="quiet">
                You see what it does before you sign. If somebody else is faster, nothing is sent.
              </p>
            </>
          )}
        </div>
      </div>
    </Card>
  )
}
