import { useSignal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'

/** A component whose code is loaded when it is first shown, and that shows nothing until then. `NotLoaded` tells where that fails. */
export function later<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  return function Later(props: Props) {
    const loaded = useSignal<{ readonly Part: ComponentType<Props> } | undefined>(undefined)
    useEffect(() => {
      load().then(
        (Part) => {
          loaded.value = { Part }
        },
        // `NotLoaded` has heard of it.
        () => {},
      )
    }, [])
    if (loaded.value === undefined) return null
    const { Part } = loaded.value
    return <Part {...props} />
  }
}
