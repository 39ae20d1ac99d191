import { useSignal } from '@preact/signals'
import { Field } from '../../../design/Field.tsx'
import { bytesOf, clipBytes, linkProblem, MOST_BYTES } from '../../../words/chainText.ts'
import { HEADING, LIST_NAME } from '../../../words/planName.ts'

interface DetailFieldsProps {
  readonly details: { readonly url: string; readonly description: string } | undefined
  /** Says that the description is needed, where it is. */
  readonly missing?: string
}

/** The fields for a plan's description and link, in the forms that publish or edit a plan. */
export function DetailFields({ details, missing }: DetailFieldsProps) {
  return (
    <>
      <ChainField
        label="What they get"
        hint={`Plain text on one line, for everybody. Its first sentence is the plan’s name: lists cut it after ${LIST_NAME} letters, and the plan’s own page after ${HEADING}. The text behind that sentence stands below the name on the plan’s own page.`}
        name="description"
        text={details?.description ?? ''}
        isLong
        missing={missing}
      />
      <ChainField
        label="Link"
        hint="To more about it, beginning with https://. It can stay empty."
        name="url"
        text={details?.url ?? ''}
        most={2048}
        problemOf={linkProblem}
      />
    </>
  )
}

interface ChainFieldProps {
  readonly label: string
  readonly hint: string
  readonly name: string
  readonly text: string
  readonly isLong?: boolean
  /** How many bytes of UTF-8 it may have. */
  readonly most?: number
  /** Says why the service would refuse the text. */
  readonly problemOf?: ((text: string) => string | undefined) | undefined
  /** Said where a long text is empty and somebody wants to go on without it. */
  readonly missing?: string | undefined
}

/** With fewer bytes left than this, the hint says how many. */
const FEW = 100

/**
 * A field for a text on the chain. It cuts off what is too long, and says so. A control's own `maxLength` would not do: it
 * counts UTF-16 units, and one takes up to three bytes. Its form is not valid while the service would refuse the text.
 */
export function ChainField({
  label,
  hint,
  name,
  text,
  isLong,
  most = MOST_BYTES,
  problemOf,
  missing,
}: ChainFieldProps) {
  const left = useSignal(most - bytesOf(text))
  const isCut = useSignal(false)
  const problem = useSignal(problemOf?.(text))
  const isEmpty = useSignal(text.trim() === '')
  const lack = isEmpty.value ? missing : undefined
  const read = ({ currentTarget }: { readonly currentTarget: HTMLInputElement | HTMLTextAreaElement }) => {
    const clipped = clipBytes(currentTarget.value, most)
    isCut.value = clipped !== currentTarget.value
    if (isCut.value) currentTarget.value = clipped
    left.value = most - bytesOf(clipped)
    isEmpty.value = clipped.trim() === ''
    problem.value = problemOf?.(clipped.trim())
  }
  const error = problem.value ?? (isCut.value ? 'It was too long, and its end was cut off.' : undefined)
  const shown = left.value < FEW ? `${hint} ${left.value} left.` : hint
  return (
    <Field label={label} hint={problem.value === undefined ? shown : undefined} error={error}>
      {(control) =>
        isLong ? (
          <textarea
            {...control}
            ref={(area) => area?.setCustomValidity(lack ?? '')}
            aria-required={missing !== undefined}
            name={name}
            onInput={read}
            onInvalid={() => {
              problem.value = lack
            }}
            defaultValue={text}
          />
        ) : (
          <input
            {...control}
            ref={(input) => input?.setCustomValidity(problem.value ?? '')}
            name={name}
            type="text"
            placeholder={name === 'url' ? 'https://' : undefined}
            defaultValue={text}
            onInput={read}
          />
        )
      }
    </Field>
  )
}

/** Whether the service would take all fields of a form. If not, the first that it would refuse gets the focus. */
export function isReady(form: HTMLFormElement): boolean {
  form.querySelector<HTMLElement>(':is(input, textarea):invalid')?.focus()
  return form.checkValidity()
}
