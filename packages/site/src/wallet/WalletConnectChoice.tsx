import { useSignal } from '@preact/signals'
import { Button } from '../design/Button.tsx'
import { Note } from '../design/Card.tsx'
import { Copy } from '../design/values/Address.tsx'
import { Qr } from '../design/values/Qr.tsx'
import { pageData } from '../page/pageData.ts'
import { connect } from './wallet.ts'
import { walletErrorWords } from './walletErrorWords.ts'

type Stage =
  | { readonly kind: 'closed' | 'opening' }
  | { readonly kind: 'shown'; readonly uri: string }
  | { readonly kind: 'failed'; readonly words: string }

/** The choice of a wallet on another device, where the operator offers that. WalletConnect's library is loaded once it is chosen. */
export function WalletConnectChoice({ onConnected }: { readonly onConnected?: (() => void) | undefined }) {
  const stage = useSignal<Stage>({ kind: 'closed' })
  const { walletConnect: projectId, chain } = pageData
  if (projectId === null || chain === null) return null
  const open = async () => {
    stage.value = { kind: 'opening' }
    try {
      const { pair } = await import('./walletConnect.ts')
      const onUri = (uri: string) => {
        stage.value = { kind: 'shown', uri }
      }
      if (await connect(await pair({ projectId, chainId: chain.chainId, onUri }))) onConnected?.()
    } catch (error) {
      stage.value = { kind: 'failed', words: walletErrorWords(error) }
    }
  }
  const now = stage.value
  return (
    <div class="stack">
      {now.kind === 'shown' ? (
        <>
          <Qr text={now.uri} label="QR code for your wallet" />
          <p>
            Scan this in your wallet. <a href={now.uri}>Or open a wallet on this device</a>{' '}
            <Copy text={now.uri} what="code" />
          </p>
        </>
      ) : (
        <Button isWide isOff={now.kind === 'opening'} onClick={() => void open()}>
          A wallet on your phone (WalletConnect)
          {now.kind === 'opening' ? <span class="quiet"> – one moment</span> : null}
        </Button>
      )}
      {now.kind === 'failed' ? (
        <div role="alert">
          <Note kind="bad">{now.words}</Note>
        </div>
      ) : null}
    </div>
  )
}
