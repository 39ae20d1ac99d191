import { useSignal } from '@preact/signals'
import { Button, LinkButton } from '../design/Button.tsx'
import { Note } from '../design/Card.tsx'
import { Dialog } from '../design/frame/Dialog.tsx'
import { later } from '../design/later.tsx'
import { Term } from '../design/Term.tsx'
import { Address, Copy, Picture, short } from '../design/values/Address.tsx'
import { linkTo } from '../page/api.ts'
import { pageData } from '../page/pageData.ts'
import { strangersText } from '../words/strangersText.ts'
import { type FoundWallet, foundWallets } from './found.ts'
import { switchChain } from './switchChain.ts'
import { askChainAgain, connect, connected, disconnect } from './wallet.ts'
import { walletErrorWords } from './walletErrorWords.ts'

// What connects a wallet: the button in the frame, the list of wallets that were found, and the note for a wallet on another chain.

/** A chunk of its own: not every operator offers it. */
const WalletConnectChoice = later(async () => (await import('./WalletConnectChoice.tsx')).WalletConnectChoice)

/** In the frame: connects a wallet, or shows which one is connected. */
export function WalletButton() {
  const isOpen = useSignal(false)
  const open = (value: boolean) => () => {
    isOpen.value = value
  }
  const now = connected.value
  return (
    <>
      <Button isSmall kind={now === undefined ? 'primary' : 'plain'} onClick={open(true)}>
        {now === undefined ? (
          'Connect a wallet'
        ) : (
          <>
            <Picture address={now.address} size={18} />
            <code>{short(now.address)}</code>
          </>
        )}
      </Button>
      <Dialog
        title={now === undefined ? 'Connect a wallet' : 'Your wallet'}
        isOpen={isOpen.value}
        onClose={open(false)}
      >
        {now === undefined ? <WalletChoice onConnected={open(false)} /> : <YourWallet onDone={open(false)} />}
      </Dialog>
    </>
  )
}

/** The wallets that were found, to choose one. Pages may show it in place, too. */
export function WalletChoice({ onConnected }: { readonly onConnected?: () => void }) {
  const problem = useSignal<string | undefined>(undefined)
  const asking = useSignal<string | undefined>(undefined)
  const wallets = foundWallets.value
  const choose = async (wallet: FoundWallet) => {
    problem.value = undefined
    asking.value = wallet.key
    // A wallet may never answer, so another one can be asked meanwhile. What the first one answers then is not shown.
    const isAsked = () => asking.peek() === wallet.key
    try {
      if (await connect(wallet)) onConnected?.()
    } catch (error) {
      if (isAsked()) problem.value = walletErrorWords(error)
    } finally {
      if (isAsked()) asking.value = undefined
    }
  }
  return (
    <div class="stack">
      <p>
        The site sees your address and your balances. It can take nothing: you sign each step in your{' '}
        <Term means="An app, or an extension of your browser, that holds your money on the network and signs what you agree to. Only you have its keys.">
          wallet
        </Term>
        .
      </p>
      {wallets.length === 0 ? (
        <Note kind="mind">
          <p>
            No wallet was found in this browser.{' '}
            <a href="https://ethereum.org/wallets/find-wallet" target="_blank" rel="noopener noreferrer">
              Find one<span class="unseen"> (opens in a new tab)</span>
            </a>{' '}
            and install it as an extension. Or copy this page’s link{' '}
            <Copy text={location.href} what="link to this page" /> and open it in your wallet’s own browser,
            on your phone say.
          </p>
        </Note>
      ) : (
        <ul class="stack-small">
          {wallets.map((wallet) => (
            <li key={wallet.key}>
              <Button isWide isOff={asking.value === wallet.key} onClick={() => void choose(wallet)}>
                {wallet.icon === undefined ? null : <img src={wallet.icon} width="24" height="24" alt="" />}
                <bdi>{strangersText(wallet.name, 40)}</bdi>
                {asking.value === wallet.key ? <span class="quiet"> – look in your wallet</span> : null}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {pageData.walletConnect === null ? null : <WalletConnectChoice onConnected={onConnected} />}
      {problem.value === undefined ? null : (
        <div role="alert">
          <Note kind="bad">{problem.value}</Note>
        </div>
      )}
    </div>
  )
}

/** The dialog's content for the connected wallet. */
function YourWallet({ onDone }: { onDone(): void }) {
  const now = connected.value
  if (now === undefined) return null
  return (
    <div class="stack">
      <p>
        <Address address={now.address} isWhole />
      </p>
      <WrongChain />
      <div class="row">
        <LinkButton href={linkTo('/me')}>My subscriptions</LinkButton>
        <Button
          onClick={() => {
            disconnect()
            onDone()
          }}
        >
          Disconnect
        </Button>
      </div>
    </div>
  )
}

/** Where the wallet is on another chain than the page: says so, and offers to switch. Otherwise nothing. */
export function WrongChain() {
  const problem = useSignal<string | undefined>(undefined)
  const { chain } = pageData
  const now = connected.value
  if (now === undefined || chain === null || now.chainId === chain.chainId) return null
  const change = async () => {
    try {
      await switchChain(now.wallet.provider, chain)
      problem.value = undefined
      await askChainAgain()
    } catch (error) {
      problem.value = walletErrorWords(error)
    }
  }
  return (
    <Note kind="mind">
      <p>Your wallet is on another chain. This page is about {chain.name}.</p>
      <Button isSmall onClick={() => void change()}>
        Switch to {chain.name}
      </Button>
      {problem.value === undefined ? null : <p role="alert">{problem.value}</p>}
    </Note>
  )
}
