import { useSignal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'

/** A component whose code is loaded when it is first shown. Where it cannot be loaded, the page says so. */
export function later<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  return function Later(props: Props) {
    const loaded = useSignal<{ readonly Part: ComponentType<Props> } | 'failed' | undefined>(undefined)
    useEffect(() => {
      load().then(
        (Part) => {
          loaded.value = { Part }
        },
        () => {
          loaded.value = 'failed'
        },
      )
    }, [])
    if (loaded.value === undefined) return null
    if (loaded.value === 'failed') {
      return (
        <p role="alert">
          A part of this page could not be loaded. <a href={location.href}>Load the page again</a>
        </p>
      )
    }
    const { Part } = loaded.value
    return <Part {...props} />
  }
}
