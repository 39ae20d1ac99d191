import { useSignal } from '@preact/signals'
import { LinkButton } from '../../../design/Button.tsx'
import { Field } from '../../../design/Field.tsx'
import { later } from '../../../design/later.tsx'
import { Copy } from '../../../design/values/Address.tsx'
import { apiUrl, linkTo, root } from '../../../page/api.ts'
import { pageData } from '../../../page/pageData.ts'
import { readSponsor } from '../../../signing/sponsor.ts'

/** A chunk of its own, loaded when the dialog opens. The page's style keeps its place. */
const LaterQr = later(async () => (await import('../../../design/values/Qr.tsx')).Qr)

/** The ways to hand a plan to customers: its link, as a QR code too, and the button for the provider's own page. */
export function Share({ id }: { readonly id: string }) {
  const typed = useSignal('')
  const sponsor = readSponsor(typed.value)
  const link = `${location.origin}${linkTo(`/subscribe/${id}`, { paymaster: sponsor?.url })}`
  const paymaster = sponsor === undefined ? '' : ` paymaster="${sponsor.url.replaceAll('&', '&amp;')}"`
  const snippet = [
    `<script type="module" src="${apiUrl}/button.js"></script>`,
    `<remit-subscribe plan="${id}" chain="${pageData.chain?.chainId}"${paymaster}></remit-subscribe>`,
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
              See it as a member
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
        <details class="desk__more">
          <summary>Pay the network’s fee for your customers</summary>
          <Field
            label="The address of your paymaster"
            hint="A service of yours that pays (ERC-7677). Its address goes into the link and the code above, and is kept nowhere."
            error={
              typed.value.trim() === '' || sponsor !== undefined
                ? undefined
                : 'This must be an address that begins with https://.'
            }
          >
            {(control) => (
              <input
                {...control}
                type="url"
                placeholder="https://"
                value={typed.value}
                onInput={({ currentTarget }) => {
                  typed.value = currentTarget.value
                }}
              />
            )}
          </Field>
        </details>
      </div>
    </div>
  )
}
