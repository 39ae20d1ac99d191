import '../components.css'
import './frame.css'
import '../print.css'
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import icon from '../../icon.svg?no-inline'
import { linkTo, linkToChain, root } from '../../page/api.ts'
import { pageData } from '../../page/pageData.ts'
import { PLACES } from '../../page/places.ts'
import { currentTheme, toggleTheme } from '../../page/theme.ts'
import { WalletButton } from '../../wallet/WalletButton.tsx'
import { connected } from '../../wallet/wallet.ts'
import { Button, LinkButton } from '../Button.tsx'
import { Dialog } from './Dialog.tsx'
import { NotLoaded } from './NotLoaded.tsx'
import { Search } from './Search.tsx'

/** The frame of every page: navigation, chain and wallet. On the subscribe page, where somebody pays, no link leads away. */
export function Frame({ children }: { readonly children: ComponentChildren }) {
  const isCheckout = pageData.page === 'subscribe'
  return (
    <div class={`frame${isCheckout ? ' frame--checkout' : ''}`}>
      <a class="frame__skip button button--small" href="#content">
        Skip to the content
      </a>
      <header class="frame__head">
        <div class="frame__bar">
          <a class="frame__brand" href={linkTo('/')}>
            <img src={icon} width="28" height="28" alt="" />
            Remit
          </a>
          {isCheckout ? null : (
            <>
              <nav class="frame__nav" aria-label="Pages">
                {PLACES.map(([page, path, title]) => (
                  <a
                    key={page}
                    href={linkTo(path)}
                    aria-current={pageData.page === page ? 'page' : undefined}
                  >
                    {title}
                  </a>
                ))}
              </nav>
              <Search />
            </>
          )}
          <div class="frame__tools">
            {isCheckout ? (
              // The subscribe page itself offers to connect. Once connected, the wallet's button appears at the left end of
              // the tools, so nothing else moves.
              connected.value && <WalletButton />
            ) : (
              <ChainPicker />
            )}
            <ThemeToggle />
            {isCheckout ? null : <WalletButton />}
          </div>
        </div>
      </header>
      <main class="frame__main" id="content">
        {children}
        <NotLoaded />
      </main>
      <footer class="frame__foot">
        <div class="frame__bar">
          <span>
            {pageData.chain === null ? null : `${pageData.chain.name} · `}Remit {pageData.version}. It holds
            no wallet keys: what you sign, you sign in your own wallet.
            <RunBy />
          </span>
          <span class="frame__from">{pageData.publicUrl}</span>
          {isCheckout ? null : (
            <span class="row">
              <a href={`${root}/docs/subscribers`}>If you subscribe</a>
              <a href={`${root}/docs/providers`}>If you sell</a>
              <a href={`${root}/portal`}>API keys, webhooks</a>
              <a href={`${root}/docs`}>API and guides</a>
              <a href={`${root}/docs/operator`}>Who runs this</a>
              <a href={`${root}/status`}>Status</a>
            </span>
          )}
        </div>
      </footer>
    </div>
  )
}

function RunBy() {
  if (pageData.operator === null) return null
  const { name, contact } = pageData.operator
  return (
    <>
      {' '}
      Run by {name}
      {contact === null ? null : (
        <>
          {' '}
          (<a href={contact.href}>{contact.words}</a>)
        </>
      )}
      .
    </>
  )
}

/** Leads to the same page on another chain. By links: a `<select>` would go to another chain at each arrow key. */
function ChainPicker() {
  const isOpen = useSignal(false)
  const open = (value: boolean) => () => {
    isOpen.value = value
  }
  const { chain, chains } = pageData
  if (chain === null || chains.length < 2) return null
  return (
    <>
      <Button isSmall label={`Chain: ${chain.name}`} onClick={open(true)}>
        {chain.name}
      </Button>
      <Dialog title="Show another chain" isOpen={isOpen.value} onClose={open(false)}>
        <ul class="stack-small">
          {chains.map(({ chainId, name }) => (
            <li key={chainId}>
              <LinkButton isWide isCurrent={chainId === chain.chainId} href={linkToChain(chainId)}>
                {name}
              </LinkButton>
            </li>
          ))}
        </ul>
      </Dialog>
    </>
  )
}

function ThemeToggle() {
  const isDark = currentTheme() === 'dark'
  return (
    <Button
      kind="quiet"
      isSmall
      label={isDark ? 'Use light colours' : 'Use dark colours'}
      onClick={toggleTheme}
    >
      <svg
        width="18"
        height="18"
        viewBox="0 0 18 18"
        fill="none"
        stroke="currentColor"
        stroke-width="1.7"
        aria-hidden="true"
      >
        {isDark ? (
          <path d="M9 5.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM9 1v2M9 15v2M1 9h2M15 9h2M3.3 3.3l1.5 1.5M13.2 13.2l1.5 1.5M3.3 14.7l1.5-1.5M13.2 4.8l1.5-1.5" />
        ) : (
          <path d="M15.5 10.6A6.8 6.8 0 0 1 7.4 2.5a6.8 6.8 0 1 0 8.1 8.1z" />
        )}
      </svg>
    </Button>
  )
}
