import './deed.css'
import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Address, Hash } from '../design/Address.tsx'
import { Button } from '../design/Button.tsx'
import { Note } from '../design/Card.tsx'
import { Dialog } from '../design/Dialog.tsx'
import { Loading } from '../design/State.tsx'
import { Steps } from '../design/Steps.tsx'
import { pageData } from '../page/pageData.ts'
import { WalletChoice, WrongChain } from '../wallet/WalletButton.tsx'
import { connected } from '../wallet/wallet.ts'
import { createDeed, type Deed, type DeedWords, type Phase, type PreparedAnswer } from './Deed.ts'
import { ReviewFoot } from './ReviewFoot.tsx'

const current = signal<Deed | undefined>(undefined)
const isOpen = signal(false)

/** Opens the dialog that prepares something, shows it, and has it signed. */
export function openDeed<Prepared extends PreparedAnswer, Result>(words: DeedWords<Prepared, Result>): void {
  if (current.peek()?.phase.peek().kind === 'sending') {
    isOpen.value = true
    return
  }
  current.peek()?.putAway()
  current.value = createDeed(words)
  isOpen.value = true
}

function close(): void {
  isOpen.value = false
  const deed = current.peek()
  // What is on its way goes on, and can be looked at again.
  if (deed === undefined || deed.phase.peek().kind === 'sending') return
  current.value = undefined
  deed.putAway()
}

/** Where a page's deeds are shown. It stands once on the page. */
export function DeedDialog() {
  const deed = current.value
  return (
    <>
      {deed !== undefined && !isOpen.value ? (
        <Note kind="mind">
          <p>“{deed.title}” is under way.</p>
          <Button
            isSmall
            onClick={() => {
              isOpen.value = true
            }}
          >
            Show how far it is
          </Button>
        </Note>
      ) : null}
      <Dialog title={deed?.title ?? ''} isOpen={deed !== undefined && isOpen.value} onClose={close}>
        {deed === undefined ? null : <Body deed={deed} />}
      </Dialog>
    </>
  )
}

function Body({ deed }: { readonly deed: Deed }) {
  const phase = deed.phase.value
  const place = useRef<HTMLDivElement>(null)
  // Who hears the page is told where it stands, and who uses the keyboard is taken there.
  const lack = lackOf(phase)
  useEffect(() => place.current?.focus(), [phase.kind, lack])
  return (
    <div class="stack" ref={place} tabIndex={-1}>
      {lack === 'wallet' ? (
        <WalletChoice />
      ) : lack === 'chain' ? (
        <WrongChain />
      ) : (
        <>
          <Account deed={deed} />
          <Stage deed={deed} phase={phase} />
        </>
      )}
    </div>
  )
}

/** What the wallet lacks for a signature. It goes on by itself then; what was signed needs nothing of it. */
function lackOf({ kind }: Phase): 'wallet' | 'chain' | undefined {
  if (kind !== 'preparing' && kind !== 'review') return undefined
  const now = connected.value
  if (now === undefined) return 'wallet'
  return now.chainId === pageData.chain?.chainId ? undefined : 'chain'
}

function Account({ deed }: { readonly deed: Deed }) {
  const { value } = deed.account
  if (value === undefined) return null
  return (
    <p class="row">
      <span class="quiet">With the wallet</span>
      <Address address={value} />
    </p>
  )
}

function Stage({ deed, phase }: { readonly deed: Deed; readonly phase: Phase }): ComponentChildren {
  switch (phase.kind) {
    case 'preparing':
      return (
        <div aria-live="polite">
          <Loading lines={5} />
          <p class="quiet">{phase.note || 'Preparing it, and trying it out without sending it …'}</p>
        </div>
      )
    case 'review':
      return (
        <>
          {phase.view()}
          <ReviewFoot prepared={phase.prepared} />
          <div class="deed__buttons">
            <Button kind={deed.isGrave ? 'danger' : 'primary'} onClick={phase.send}>
              {deed.verb}
            </Button>
            <Button kind="quiet" onClick={close}>
              Back
            </Button>
          </div>
        </>
      )
    case 'sending':
      return <Steps steps={phase.steps} />
    case 'done':
      return (
        <>
          <div role="status" class="stack">
            {phase.view()}
            <Transactions rows={phase.outcome.transactions} />
          </div>
          <Button kind="primary" isWide onClick={close}>
            Done
          </Button>
        </>
      )
    case 'stopped':
      return (
        <>
          <div role="alert">
            <Note kind="mind">
              <p>
                <strong>{phase.trouble.title}</strong>
              </p>
              {phase.trouble.sentences.map((sentence) => (
                <p key={sentence}>{sentence}</p>
              ))}
            </Note>
          </div>
          {phase.steps.length === 0 ? null : <Steps steps={phase.steps} />}
          {phase.sent.map(({ hash, status }) => (
            <p key={hash}>
              <Hash hash={hash} what="transaction" /> {STANDINGS[status]}
            </p>
          ))}
          <div class="deed__buttons">
            {phase.trouble.canTryAgain ? (
              <Button kind="primary" onClick={deed.lookAgain}>
                Look again
              </Button>
            ) : null}
            <Button onClick={close}>Close</Button>
          </div>
        </>
      )
  }
}

const STANDINGS = {
  pending: 'may still go through.',
  success: 'went through.',
  reverted: 'failed.',
  replaced: 'was replaced in the wallet.',
} as const

function Transactions({
  rows,
}: {
  readonly rows: readonly { readonly hash: string; readonly blockNumber: number }[]
}) {
  return (
    <ul class="stack-small quiet">
      {rows.map(({ hash, blockNumber }) => (
        <li key={hash}>
          Transaction <Hash hash={hash} what="transaction" /> in block {blockNumber}
        </li>
      ))}
    </ul>
  )
}
