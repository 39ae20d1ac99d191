/**
 * The style sheet of the shadow root of `<remit-subscribe>`, which no style of the host page reaches, but for the custom properties
 * `--remit-color`, `--remit-background` and `--remit-focus` below, and `::part(button)`, or `::part(link)` where a link stands for the
 * button.
 * The `span` below the button says what became of it; while it is empty, it takes no room.
 */
export const STYLE = `
:host { display: inline-block; font: 600 1rem/1.25 system-ui, sans-serif }
:host([hidden]) { display: none }
button {
  font: inherit; color: var(--remit-color, #fff); background: var(--remit-background, #0f6b5c);
  border: 0; border-radius: 0.5rem; padding: 0.75rem 1.25rem; min-height: 44px; cursor: pointer
}
button:hover { filter: brightness(1.1) }
button:focus-visible, a:focus-visible { outline: 3px solid var(--remit-focus, #f59e0b); outline-offset: 2px }
button:disabled { opacity: 0.5; cursor: not-allowed }
span:not(:empty) { display: block; margin-top: 0.5rem; font-weight: 400; font-size: 0.875rem }
@media (forced-colors: active) { button { border: 1px solid } }
`
