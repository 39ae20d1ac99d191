import { strangersLink, strangersText } from '../words/strangersText.ts'

/** A stranger's words, isolated from the direction of the text around them. */
export function Said({ text, most }: { readonly text: string; readonly most?: number }) {
  return <bdi class="said__text">{strangersText(text, most)}</bdi>
}

/** A stranger's link. It shows the domain that it leads to; what cannot be followed is not a link. */
export function SaidLink({ url }: { readonly url: string }) {
  const link = strangersLink(url)
  if (link === undefined) return null
  return (
    <a href={link.href} rel="noopener noreferrer nofollow ugc" target="_blank">
      <bdi>{link.host}</bdi>
      <span class="unseen"> (opens in a new tab)</span>
    </a>
  )
}
