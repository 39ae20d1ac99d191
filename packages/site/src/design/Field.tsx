import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface FieldProps {
  readonly label: ComponentChildren
  readonly hint?: ComponentChildren
  /** What is wrong with what stands in it. */
  readonly error?: string | undefined
  /** Gets what ties the control to its label, hint and error. */
  children(control: Control): ComponentChildren
}

/** The attributes of the control. */
interface Control {
  readonly id: string
  readonly class: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': 'true' | undefined
}

/** A control with its label: `<Field label="Amount">{(control) => <input {...control} />}</Field>`. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId()
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div class="field">
      <label class="field__label" for={id}>
        {label}
      </label>
      {children({
        id,
        class: 'input',
        'aria-describedby': described || undefined,
        'aria-invalid': error ? 'true' : undefined,
      })}
      {hint ? (
        <span class="field__hint" id={`${id}-hint`}>
          {hint}
        </span>
      ) : null}
      {error ? (
        <span class="field__error" id={`${id}-error`}>
          {error}
        </span>
      ) : null}
    </div>
  )
}
