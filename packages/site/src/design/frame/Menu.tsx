import './menu.css'
import { useSignal } from '@preact/signals'
import { useId, useRef } from 'preact/hooks'

interface MenuProps {
  /** The thing that its entries act on, such as "0x7099…79C8": a table has a menu in each row, and each needs a name. */
  readonly label: string
  readonly items: readonly MenuItem[]
}

interface MenuItem {
  readonly name: string
  /** It cannot be undone, so it stands out. */
  readonly isGrave?: boolean
  /** Where it leads; without it, what it does. */
  readonly href?: string
  onChoose?(): void
}

/** A button with a menu of what can be done with one row of a table. Arrow keys move in it, Escape closes it. */
export function Menu({ label, items }: MenuProps) {
  const id = useId()
  const isOpen = useSignal(false)
  const button = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const entries = () => [...(list.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])]
  const open = () => {
    const [at, place] = [button.current?.getBoundingClientRect(), list.current]
    if (at === undefined || place === null) return
    place.showPopover()
    // Above the button where there is no room below it.
    const { offsetHeight, offsetWidth } = place
    const below = at.bottom + GAP
    place.style.top = `${below + offsetHeight > innerHeight ? Math.max(GAP, at.top - GAP - offsetHeight) : below}px`
    place.style.left = `${Math.max(GAP, at.right - offsetWidth)}px`
    entries()[0]?.focus()
  }
  const move = (event: KeyboardEvent) => {
    const all = entries()
    const now = all.findIndex((entry) => entry.matches(':focus'))
    const to = { ArrowDown: now + 1, ArrowUp: now - 1, Home: 0, End: all.length - 1 }[event.key]
    if (to !== undefined) {
      event.preventDefault()
      all.at(to % all.length)?.focus()
    } else if (event.key === 'Tab') list.current?.hidePopover()
  }
  const choose = (item: MenuItem) => () => {
    list.current?.hidePopover()
    item.onChoose?.()
  }
  return (
    <>
      <button
        ref={button}
        type="button"
        class="menu__button"
        aria-label={`What can be done with ${label}`}
        aria-haspopup="menu"
        aria-expanded={isOpen.value}
        aria-controls={id}
        onClick={open}
      >
        <svg width="18" height="18" viewBox="0 0 18 18" fill="currentColor" aria-hidden="true">
          <circle cx="3.5" cy="9" r="1.6" />
          <circle cx="9" cy="9" r="1.6" />
          <circle cx="14.5" cy="9" r="1.6" />
        </svg>
      </button>
      <div
        ref={list}
        id={id}
        class="menu"
        role="menu"
        tabIndex={-1}
        aria-label={`What can be done with ${label}`}
        popover="auto"
        onKeyDown={move}
        onToggle={({ newState }) => {
          isOpen.value = newState === 'open'
        }}
      >
        {items.map((item) =>
          item.href === undefined ? (
            <button
              key={item.name}
              type="button"
              role="menuitem"
              class={`menu__item${item.isGrave ? ' menu__item--grave' : ''}`}
              onClick={choose(item)}
            >
              {item.name}
            </button>
          ) : (
            <a key={item.name} role="menuitem" class="menu__item" href={item.href}>
              {item.name}
            </a>
          ),
        )}
      </div>
    </>
  )
}

/** Between the button and the menu, and from the window's edge, in CSS pixels. */
const GAP = 4
