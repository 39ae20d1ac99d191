import { type ComponentChildren, isValidElement } from 'preact'

/** The text of what a page shows, without a browser: of components that have no hooks. */
export function textOf(shown: ComponentChildren): string {
  if (Array.isArray(shown)) return shown.map(textOf).join('')
  if (!isValidElement(shown)) return typeof shown === 'string' || typeof shown === 'number' ? `${shown}` : ''
  const { type, props } = shown
  if (typeof type === 'string') return textOf(props.children)
  // Safe: a component that has no hooks is a function of its props.
  return textOf((type as (props: object) => ComponentChildren)(props))
}
