import { useSignal } from '@preact/signals'
import { Field } from '../../design/Field.tsx'
import { limitBytes, linkProblem, MOST_BYTES } from '../../words/chainText.ts'

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
      <LinkField
        label="Link"
        hint="To more about it, beginning with https://. It can stay empty."
        most={2048}
        url={details?.url ?? ''}
      />
    </>
  )
}

interface LinkFieldProps {
  readonly label: string
  readonly hint: string
  /** How many characters it may have. */
  readonly most: number
  readonly url: string
}

/** A link for the chain, as `url` of its form. The form is not valid while the service would refuse it. */
export function LinkField({ label, hint, most, url }: LinkFieldProps) {
  const problem = useSignal(linkProblem(url))
  return (
    <Field label={label} hint={problem.value === undefined ? hint : undefined} error={problem.value}>
      {(control) => (
        <input
          {...control}
          ref={(input) => input?.setCustomValidity(problem.value ?? '')}
          name="url"
          type="url"
          maxLength={most}
          placeholder="https://"
          defaultValue={url}
          onInput={({ currentTarget }) => {
            problem.value = linkProblem(currentTarget.value.trim())
          }}
        />
      )}
    </Field>
  )
}
