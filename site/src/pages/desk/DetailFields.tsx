import { Field } from '../../design/Field.tsx'
import { limitBytes, MOST_BYTES } from '../../words/chainText.ts'

interface DetailFieldsProps {
  readonly details: { readonly url: string; readonly description: string } | undefined
}

/** What a plan says of itself. */
export function DetailFields({ details }: DetailFieldsProps) {
  return (
    <>
      <Field
        label="What they get"
        hint={`Plain text on one line, up to ${MOST_BYTES} bytes: most letters take one, é takes two, an emoji four or more. Everybody can read it.`}
      >
        {(control) => (
          <textarea
            {...control}
            name="description"
            onInput={limitBytes}
            defaultValue={details?.description ?? ''}
          />
        )}
      </Field>
      <Field label="Link" hint="To more about it, beginning with https://. It can stay empty.">
        {(control) => (
          <input
            {...control}
            name="url"
            type="url"
            maxLength={2048}
            placeholder="https://"
            defaultValue={details?.url ?? ''}
          />
        )}
      </Field>
    </>
  )
}
