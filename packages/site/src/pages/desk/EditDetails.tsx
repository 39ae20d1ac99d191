import type { Hex } from 'viem'
import { openDeed } from '../../deed/DeedDialog.tsx'
import { Button } from '../../design/Button.tsx'
import { chainText } from '../../words/chainText.ts'
import { DetailFields } from './DetailFields.tsx'
import { editDeed } from './deeds.tsx'

interface EditDetailsProps {
  readonly id: Hex
  readonly details: { readonly url: string; readonly description: string } | undefined
}

/** Replaces what a plan says of itself. Its price and its day never change. */
export function EditDetails({ id, details }: EditDetailsProps) {
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        const form = new FormData(event.currentTarget)
        const read = (name: string) => String(form.get(name) ?? '').trim()
        openDeed(editDeed(id, { url: read('url'), description: chainText(read('description')) }))
      }}
    >
      <p class="quiet">
        The price, the day and the token can never change: that is what subscribers rely on.
      </p>
      <DetailFields details={details} />
      <Button type="submit" kind="primary">
        Review …
      </Button>
    </form>
  )
}
