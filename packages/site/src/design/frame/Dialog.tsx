import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { Button } from '../Button.tsx'

interface DialogProps {
  readonly title: string
  readonly isOpen: boolean
  onClose(): void
  readonly children: ComponentChildren
}

/** A modal dialog, shown while `isOpen`. The browser keeps the focus inside, and Escape closes it. */
export function Dialog({ title, isOpen, onClose, children }: DialogProps) {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const element = dialog.current
    if (element === null || element.open === isOpen) return
    if (isOpen) element.showModal()
    else element.close()
  }, [isOpen])
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={id} onClose={onClose}>
      <div class="card__head">
        <h2 id={id}>{title}</h2>
        <Button kind="quiet" isSmall label="Close" onClick={onClose}>
          ✕
        </Button>
      </div>
      {isOpen ? children : null}
    </dialog>
  )
}
