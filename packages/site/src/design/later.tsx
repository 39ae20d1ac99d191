import { useSignal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'

/** A part of a page whose code is loaded when it is first shown. Where it cannot be loaded, there is nothing in its place. */
export function later<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  return function Later(props: Props) {
    const loaded = useSignal<{ readonly Part: ComponentType<Props> } | undefined>(undefined)
    useEffect(() => {
      load().then(
        (Part) => {
          loaded.value = { Part }
        },
        () => {},
      )
    }, [])
    const { Part } = loaded.value ?? {}
    return Part === undefined ? null : <Part {...props} />
  }
}
