import type { ComponentChildren } from 'preact'

interface Look {
  readonly kind?: 'primary' | 'plain' | 'danger' | 'quiet'
  readonly isSmall?: boolean
  readonly isWide?: boolean
  readonly children: ComponentChildren
}

interface ButtonProps extends Look {
  readonly onClick?: () => void
  readonly type?: 'button' | 'submit'
  /** Disabled for now. It keeps the focus, so that a keyboard user stays in place. */
  readonly isOff?: boolean
  /** Read out instead of its contents. */
  readonly label?: string
  /** For a button that stays pressed, such as one of several filters. */
  readonly isPressed?: boolean
}

/** A button, which submits no form unless `type` says so. */
export function Button({ onClick, type = 'button', isOff, label, isPressed, ...look }: ButtonProps) {
  return (
    <button
      type={type}
      class={classOf(look)}
      aria-disabled={isOff ? 'true' : undefined}
      aria-label={label}
      aria-pressed={isPressed}
      onClick={isOff ? undefined : onClick}
    >
      {look.children}
    </button>
  )
}

/** A link that looks like a button. */
export function LinkButton({
  href,
  isCurrent = false,
  ...look
}: Look & {
  readonly href: string
  /** It leads to the present page. */
  readonly isCurrent?: boolean
}) {
  return (
    <a href={href} class={classOf(look)} aria-current={isCurrent ? 'true' : undefined}>
      {look.children}
    </a>
  )
}

function classOf({ kind = 'plain', isSmall, isWide }: Look): string {
  const ofKind = kind === 'plain' ? '' : ` button--${kind}`
  return `button${ofKind}${isSmall ? ' button--small' : ''}${isWide ? ' button--wide' : ''}`
}
