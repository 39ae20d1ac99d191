import { Copy } from '../../design/Address.tsx'
import { LinkButton } from '../../design/Button.tsx'
import { apiUrl, linkTo, root } from '../../page/api.ts'

/** The due days as a feed that calendar programs follow. */
export function CalendarFeed({ account }: { readonly account: string }) {
  const path = linkTo(`/accounts/${account}/calendar.ics`)
  const feed = `${apiUrl.slice(0, apiUrl.length - root.length)}${path}`
  return (
    <div class="stack">
      <p>
        A feed with the day of each payment that is covered, and of the first that is not. Add it to your
        calendar once: it follows when you subscribe, leave or add money. Whoever has its address can read it.
      </p>
      <p class="row">
        <LinkButton href={feed.replace(/^https?:/, 'webcal:')}>Add to a calendar</LinkButton>
        <a href={path}>Download it</a>
        <span class="row">
          Copy its address <Copy text={feed} what="address of the feed" />
        </span>
      </p>
    </div>
  )
}
