import type { ComponentChildren } from 'preact'

/** The one button of a step. On a phone it stays in sight, at the lower edge of the screen. */
export function MainAct({ children }: { readonly children: ComponentChildren }) {
  return <div class="main-act">{children}</div>
}
