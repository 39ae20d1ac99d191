import { strangersLink, strangersText } from '../../words/strangersText.ts'

/** A stranger's words, isolated from the direction of the text around them. */
export function UntrustedText({ text, most }: { readonly text: string; readonly most?: number }) {
  return <bdi class="untrusted">{strangersText(text, most)}</bdi>
}

/** A stranger's link. It shows the domain that it leads to; what cannot be followed is not a link. */
export function UntrustedLink({ url }: { readonly url: string }) {
  const link = strangersLink(url)
  if (link === undefined) return null
  return (
    <a href={link.href} rel="noopener noreferrer nofollow ugc" target="_blank">
      <bdi>{link.host}</bdi>
      <span class="unseen"> (opens in a new tab)</span>
    </a>
  )
}
