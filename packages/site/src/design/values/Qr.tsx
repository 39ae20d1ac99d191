import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

interface Drawn {
  readonly size: number
  readonly path: string
}

/**
 * A link as a QR code, drawn in the browser. Dark on light in both themes: some phones read nothing else. Its code is
 * loaded after the page is shown; until then its place is empty and as large.
 */
export function Qr({ text, label }: { readonly text: string; readonly label: string }) {
  const drawn = useSignal<Drawn | undefined>(undefined)
  useEffect(() => {
    let isGone = false
    void import('./drawQr.ts').then(({ drawQr }) => {
      if (!isGone) drawn.value = drawQr(text)
    })
    return () => {
      isGone = true
    }
  }, [text])
  const { size = 1, path = '' } = drawn.value ?? {}
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shape-rendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#111" />
    </svg>
  )
}
