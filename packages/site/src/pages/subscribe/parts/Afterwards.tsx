import { useSignal } from '@preact/signals'
import type { Subscription } from '@remit/client'
import { useEffect } from 'preact/hooks'
import { openerOrigin, wantsPass } from '../../../button/opener.ts'
import { Button, LinkButton } from '../../../design/Button.tsx'
import { linkTo } from '../../../page/api.ts'
import { pageData } from '../../../page/pageData.ts'
import { returnTo } from '../terms/returnTo.ts'
import { MainAct } from './MainAct.tsx'
import { Pass } from './Pass.tsx'

interface AfterwardsProps {
  readonly plan: Subscription
  /** The member's wallet. */
  readonly address: string
  /** The block that made it a member. */
  readonly minBlock?: number | undefined
  /** The provider's domain, as its profile claims it. */
  readonly domain: string | undefined
}

/** What comes after subscribing: a pass for the page that opened this window, and the ways on. */
export function Afterwards({ plan, address, minBlock, domain }: AfterwardsProps) {
  return (
    <>
      <Pass plan={plan} address={address} minBlock={minBlock} />
      <Leaving domain={domain} />
    </>
  )
}

/** The ways on: back to where the member came from, close the window, or see all of their subscriptions. */
function Leaving({ domain }: { readonly domain: string | undefined }) {
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

/** How long the page waits before it goes back by itself. */
const SECONDS = 8

/** Whether `Return` leads on, to a page of the provider or the opener: then no other button is the main one. */
function goesOn(domain: string | undefined): boolean {
  return targetOf(domain)?.isTrusted === true
}

function targetOf(domain: string | undefined) {
  return returnTo(pageData.query.return, { domain, openerOrigin: openerOrigin.value })
}

/** Where the link's `?return=` leads. The page goes there by itself only if it is the provider's or the opener's. */
function Return({ domain }: { readonly domain: string | undefined }) {
  const left = useSignal<number | undefined>(SECONDS)
  const target = targetOf(domain)
  const isFollowed = target?.isTrusted === true && left.value !== undefined
  useEffect(() => {
    if (!isFollowed || target === undefined) return undefined
    const ticking = setInterval(() => {
      const now = left.peek()
      if (now === undefined) return
      left.value = now - 1
      if (now <= 1) location.assign(target.href)
    }, 1_000)
    return () => clearInterval(ticking)
  }, [isFollowed, target?.href])
  if (target === undefined) return null
  if (!target.isTrusted) {
    return (
      <p>
        The link that led you here wants you to go on to{' '}
        <a href={target.href} rel="noopener noreferrer nofollow">
          <bdi>{target.host}</bdi>
        </a>
        . It is not the provider’s own address: look at it before you follow it.
      </p>
    )
  }
  return (
    <div class="stack-small">
      <MainAct>
        <LinkButton href={target.href} kind="primary" isWide>
          Back to {target.host}
        </LinkButton>
      </MainAct>
      {left.value === undefined ? null : (
        <p class="row row-apart">
          <span class="quiet">
            This page goes there in {left.value} {left.value === 1 ? 'second' : 'seconds'}.
          </span>
          <Button
            kind="quiet"
            isSmall
            onClick={() => {
              left.value = undefined
            }}
          >
            Stay here
          </Button>
        </p>
      )}
    </div>
  )
}
