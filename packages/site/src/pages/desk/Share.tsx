import { useSignal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { Copy } from '../../design/Address.tsx'
import { apiUrl, linkTo } from '../../page/api.ts'
import { pageData } from '../../page/pageData.ts'

/** What a provider gives away: the plan's link, the same as a QR code, and the button for a page of one's own. */
export function Share({ id }: { readonly id: string }) {
  const link = `${location.origin}${linkTo(`/subscribe/${id}`)}`
  const snippet = [
    `<script type="module" src="${apiUrl}/button.js"></script>`,
    `<remit-subscribe plan="${id}" chain="${pageData.chain?.chainId}"></remit-subscribe>`,
  ].join('\n')
  return (
    <div class="desk__share">
      <div class="desk__qr">
        <LaterQr text={link} label="The plan’s link as a QR code" />
      </div>
      <div class="stack">
        <div>
          <p class="desk__label">
            Link <Copy text={link} what="link" />
          </p>
          <p>
            <a class="desk__link" href={link}>
              {link}
            </a>
          </p>
        </div>
        <div>
          <p class="desk__label">
            Button for your own page <Copy text={snippet} what="button’s code" />
          </p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
          <pre class="desk__code" tabIndex={0}>
            <code>{snippet}</code>
          </pre>
        </div>
      </div>
    </div>
  )
}

interface QrProps {
  readonly text: string
  readonly label: string
}

/** The code that draws it is loaded when somebody looks. Its place is kept for it. */
function LaterQr(props: QrProps) {
  const drawn = useSignal<{ readonly Qr: ComponentType<QrProps> } | undefined>(undefined)
  useEffect(() => {
    import('../../design/Qr.tsx').then(
      ({ Qr }) => {
        drawn.value = { Qr }
      },
      () => {},
    )
  }, [])
  const { Qr } = drawn.value ?? {}
  return Qr === undefined ? null : <Qr {...props} />
}
