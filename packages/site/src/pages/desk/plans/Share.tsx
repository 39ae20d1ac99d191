import { Copy } from '../../../design/Address.tsx'
import { LinkButton } from '../../../design/Button.tsx'
import { later } from '../../../design/later.tsx'
import { apiUrl, linkTo, root } from '../../../page/api.ts'
import { pageData } from '../../../page/pageData.ts'

/** The code that draws it is loaded when somebody looks. Its place is kept for it. */
const LaterQr = later(async () => (await import('../../../design/Qr.tsx')).Qr)

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
      <p class="quiet desk__caption">The link, for a phone’s camera</p>
      <div class="stack">
        <div>
          <p class="desk__label">Link</p>
          <p class="desk__link">{link}</p>
          <p class="row">
            <Copy text={link} what="link" isNamed />
            <LinkButton isSmall href={link}>
              See it as your customer
            </LinkButton>
          </p>
        </div>
        <div>
          <p class="desk__label">Button for your own page</p>
          <pre class="desk__code">
            <code>{snippet}</code>
          </pre>
          <p class="row">
            <Copy text={snippet} what="code" isNamed />
            <a href={`${root}/docs/button`} target="_blank" rel="noopener">
              How the button works<span class="unseen"> (opens in a new tab)</span>
            </a>
          </p>
        </div>
      </div>
    </div>
  )
}
