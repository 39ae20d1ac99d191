import { useSignal } from '@preact/signals'
import type { ApiKey } from '@remit/client'
import { Button } from '../../design/Button.tsx'
import { Note } from '../../design/Card.tsx'
import { Field } from '../../design/Field.tsx'
import { Copy } from '../../design/values/Address.tsx'
import { QuickStarts } from './QuickStarts.tsx'

// What stands in the dialogs of `Keys.tsx`, one for each action.

/** Why the service refused the action, below the button that tries it again. */
function Problem({ text }: { readonly text: string | undefined }) {
  return <div role="alert">{text === undefined ? null : <Note kind="bad">{text}</Note>}</div>
}

interface ActProps {
  /** The service is being asked, so the button is off. */
  readonly isBusy: boolean
  /** Why it refused. */
  readonly problem: string | undefined
}

interface NameKeyProps extends ActProps {
  /** What it is called so far. */
  readonly label?: string | null
  /** What the button says. */
  readonly act: string
  /** Called with the name that was typed; '' for none. */
  save(label: string): void
}

/** Asks for the name of a new key, or for another name of a key. */
export function NameKey({ isBusy, problem, label: before, act, save }: NameKeyProps) {
  const label = useSignal(before ?? '')
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy) save(label.value.trim())
      }}
    >
      <Field label="Name" hint="What the key is for. Only you see it.">
        {(control) => (
          <input
            {...control}
            maxLength={100}
            autocomplete="off"
            placeholder="The checkout"
            value={label.value}
            onInput={({ currentTarget }) => {
              label.value = currentTarget.value
            }}
          />
        )}
      </Field>
      <Button kind="primary" type="submit" isOff={isBusy}>
        {act}
      </Button>
      <Problem text={problem} />
    </form>
  )
}

/** Shows a new key, this once. */
export function NewKey({ token, isReplacing }: { readonly token: string; readonly isReplacing: boolean }) {
  return (
    <div class="stack">
      <div class="portal__key" role="status">
        <code>{token}</code> <Copy text={token} what="key" />
      </div>
      <Note kind="mind">
        <p>Keep the key now. It is not stored here, so nobody can show it again.</p>
        {isReplacing ? <p>The old one works for another day.</p> : null}
      </Note>
      <QuickStarts apiKey={token} />
    </div>
  )
}

interface ReplaceKeyProps extends ActProps {
  readonly apiKey: ApiKey
  replace(): void
}

/** Asks whether a key is to be replaced. */
export function ReplaceKey({ apiKey, isBusy, problem, replace }: ReplaceKeyProps) {
  return (
    <div class="stack">
      <p>
        You get a new key with the same name. <code>{apiKey.prefix}…</code> works for another day.
      </p>
      <Button kind="primary" isOff={isBusy} onClick={replace}>
        Replace it
      </Button>
      <Problem text={problem} />
    </div>
  )
}

interface RevokeKeyProps extends ActProps {
  readonly apiKey: ApiKey
  revoke(): void
}

/** Asks whether a key is to be revoked. */
export function RevokeKey({ apiKey, isBusy, problem, revoke }: RevokeKeyProps) {
  return (
    <div class="stack">
      <p>
        Programs that use <code>{apiKey.prefix}…</code> are refused from now on.
      </p>
      <Button kind="danger" isOff={isBusy} onClick={revoke}>
        Revoke it for good
      </Button>
      <Problem text={problem} />
    </div>
  )
}
