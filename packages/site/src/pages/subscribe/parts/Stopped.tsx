import type { Subscription } from '@remit/client'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Button, LinkButton } from '../../../design/Button.tsx'
import { Note } from '../../../design/Card.tsx'
import { Steps } from '../../../design/Steps.tsx'
import { Hash } from '../../../design/values/Address.tsx'
import { linkTo } from '../../../page/api.ts'
import { WalletChoice, WrongChain } from '../../../wallet/WalletButton.tsx'
import { connected } from '../../../wallet/wallet.ts'
import { STANDINGS } from '../../../words/standings.ts'
import type { Phase, SubscribeFlow } from '../flow/flow.ts'
import type { Trouble } from '../flow/trouble.ts'
import { MainAct } from './MainAct.tsx'

interface StoppedProps {
  readonly flow: SubscribeFlow
  readonly plan: Subscription
  readonly phase: Extract<Phase, { kind: 'stopped' }>
}

/** The panel after a failure: what happened, what was sent by then, and the way out. */
export function Stopped({ flow, plan, phase: { trouble, steps, sent, open } }: StoppedProps) {
  const place = useRef<HTMLDivElement>(null)
  // The pressed button is gone. This panel gets the focus before the browser draws, so that no key is lost.
  useLayoutEffect(() => place.current?.focus(), [])
  return (
    <div class="stack" ref={place} tabIndex={-1}>
      <TroubleNote trouble={trouble} />
      {steps.length === 0 ? null : <Steps steps={steps} />}
      {sent.length === 0 ? null : (
        <ul class="stack-small">
          {sent.map(({ hash, status }) => (
            <li key={hash}>
              <Hash hash={hash} what="transaction" /> {STANDINGS[status]}
            </li>
          ))}
        </ul>
      )}
      <WrongChain />
      {open === undefined || connected.value !== undefined ? null : <WalletChoice />}
      <MainAct>
        {trouble.way === 'otherPlans' ? (
          <LinkButton href={linkTo('/plans', { provider: plan.provider })} isWide>
            {trouble.does}
          </LinkButton>
        ) : (
          <Button
            kind="primary"
            isWide
            onClick={() => {
              if (trouble.way === 'reload') location.reload()
              else if (trouble.way === 'goOn') flow.goOn()
              else flow.startAgain()
            }}
          >
            {trouble.does}
          </Button>
        )}
      </MainAct>
      {open === undefined ? null : (
        <Button kind="quiet" isWide onClick={() => flow.stopLooking()}>
          Stop looking
        </Button>
      )}
    </div>
  )
}

/** Why it stopped, in words. */
export function TroubleNote({ trouble: { title, sentences } }: { readonly trouble: Trouble }) {
  return (
    <div role="alert">
      <Note kind="mind">
        <p>
          <strong>{title}</strong>
        </p>
        {sentences.map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
      </Note>
    </div>
  )
}
