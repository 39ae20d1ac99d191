import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { Button } from '../design/Button.tsx'
import { Card, Note } from '../design/Card.tsx'
import { Field } from '../design/Field.tsx'
import { WalletChoice } from '../wallet/WalletButton.tsx'
import { isAddress, isCut, lookAt } from './subject.ts'

interface WelcomeProps {
  /** What the page is for, and what one gets by connecting. */
  readonly children: ComponentChildren
}

/** A page about a wallet, while it is about none: what the page is for, how to connect, and how to look without a wallet. */
export function Welcome({ children }: WelcomeProps) {
  return (
    <>
      {isCut.value ? (
        <Note kind="mind">This link is not complete: a wallet’s address has 42 characters.</Note>
      ) : null}
      <div class="columns">
        <Card title="Connect your wallet">
          <div class="stack">
            {children}
            <WalletChoice />
          </div>
        </Card>
        <Card title="Or look without one">
          <div class="stack">
            <p>All of it is public. You can look at any address; only its owner can change anything.</p>
            <AddressForm />
          </div>
        </Card>
      </div>
    </>
  )
}

function AddressForm() {
  const problem = useSignal<string | undefined>(undefined)
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        const address = String(new FormData(event.currentTarget).get('address') ?? '').trim()
        const isRight = isAddress(address)
        problem.value = isRight ? undefined : 'An address has 40 digits and letters after 0x.'
        if (isRight) void lookAt(address)
      }}
    >
      <Field label="Wallet address" error={problem.value}>
        {(control) => (
          <input
            {...control}
            name="address"
            type="text"
            autocomplete="off"
            spellcheck={false}
            placeholder="0x…"
          />
        )}
      </Field>
      <Button type="submit">Look at it</Button>
    </form>
  )
}
