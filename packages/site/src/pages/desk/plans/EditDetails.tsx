import type { Hex } from 'viem'
import { Button } from '../../../design/Button.tsx'
import { askToSign } from '../../../signing/SigningDialog.tsx'
import { chainText } from '../../../words/chainText.ts'
import { editRequest } from '../signingRequests.tsx'
import { DetailFields, isReady } from './DetailFields.tsx'

interface EditDetailsProps {
  readonly id: Hex
  readonly details: { readonly url: string; readonly description: string } | undefined
  /** Called when the new words are published. */
  onDone(): void
}

/** The form that replaces a plan's description and link. */
export function EditDetails({ id, details, onDone }: EditDetailsProps) {
  return (
    <form
      class="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!isReady(event.currentTarget)) return
        const form = new FormData(event.currentTarget)
        const read = (name: string) => String(form.get(name) ?? '').trim()
        const details = { url: read('url'), description: chainText(read('description')) }
        askToSign({ ...editRequest(id, details), onDone })
      }}
    >
      <p class="quiet">
        The price, how often, the day and the token can never change: that is what members rely on.
      </p>
      <DetailFields details={details} />
      <Button type="submit" kind="primary">
        Review …
      </Button>
    </form>
  )
}
