import { openerOrigin, wantsPass } from '../../../button/opener.ts'
import { Button, LinkButton } from '../../../design/Button.tsx'
import { linkTo } from '../../../page/api.ts'
import { MainAct } from './MainAct.tsx'
import { goesOn, Return } from './Return.tsx'

/** What a member does next: back to where they came from, close the window, or see all of their subscriptions. */
export function Leaving({ domain }: { readonly domain: string | undefined }) {
  const isWindow = openerOrigin.value !== undefined
  const next = isWindow ? (
    <Button kind={wantsPass.value ? 'plain' : 'primary'} isWide onClick={() => window.close()}>
      Close this window
    </Button>
  ) : (
    <LinkButton kind="primary" isWide href={linkTo('/me')}>
      My subscriptions
    </LinkButton>
  )
  return (
    <>
      <Return domain={domain} />
      {goesOn(domain) ? null : wantsPass.value ? next : <MainAct>{next}</MainAct>}
    </>
  )
}
