import { useSignal } from '@preact/signals'
import { linkTo } from '../../page/api.ts'
import { identicon } from './identicon.ts'

interface AddressProps {
  readonly address: string
  /** Whether it leads to the wallet's page. */
  readonly isLinked?: boolean
  /** Whether all of its digits are shown. */
  readonly isWhole?: boolean
}

/** A wallet, with its picture, its short form, a button that copies the whole, and a link to what it does. */
export function Address({ address, isLinked = true, isWhole = false }: AddressProps) {
  const shown = <code>{isWhole ? address : short(address)}</code>
  return (
    <span class={`address${isWhole ? ' address--whole' : ''}`}>
      <Picture address={address} />
      {isLinked ? (
        <a href={linkTo(`/wallets/${address}`)} title={address}>
          {shown}
        </a>
      ) : (
        <span title={address}>{shown}</span>
      )}
      <Copy text={address} what="address" />
    </span>
  )
}

/** An id or a hash, short and to be copied. */
export function Hash({
  hash,
  what,
  href,
}: {
  readonly hash: string
  readonly what: string
  readonly href?: string
}) {
  const shown = <code>{short(hash)}</code>
  return (
    <span class="address">
      {href === undefined ? (
        <span title={hash}>{shown}</span>
      ) : (
        <a href={href} title={hash}>
          {shown}
        </a>
      )}
      <Copy text={hash} what={what} />
    </span>
  )
}

/** The identicon of an address, `size` CSS pixels wide. */
export function Picture({ address, size = 20 }: { readonly address: string; readonly size?: number }) {
  const { colour, background, cells } = identicon(address)
  return (
    <svg class="address__picture" width={size} height={size} viewBox="-0.5 -0.5 6 6" aria-hidden="true">
      <rect x="-0.5" y="-0.5" width="6" height="6" fill={background} />
      {cells.map(([x, y]) => (
        <rect key={`${x}${y}`} x={x} y={y} width="1.02" height="1.02" fill={colour} />
      ))}
    </svg>
  )
}

interface CopyProps {
  readonly text: string
  /** What the text is, after "Copy the": such as "address". */
  readonly what: string
  /** Whether its name is shown beside its picture, as on a button. */
  readonly isNamed?: boolean
}

/** Copies a text, and says that it did. */
export function Copy({ text, what, isNamed = false }: CopyProps) {
  const state = useSignal<'idle' | 'copied' | 'failed'>('idle')
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      state.value = 'copied'
    } catch {
      state.value = 'failed'
    }
    setTimeout(() => {
      state.value = 'idle'
    }, 2_000)
  }
  const said = { idle: '', copied: 'Copied', failed: 'Could not be copied' }[state.value]
  return (
    <>
      <button
        type="button"
        class={isNamed ? 'button button--small' : 'address__copy'}
        aria-label={`Copy the ${what}`}
        title={`Copy the ${what}`}
        onClick={copy}
      >
        <svg
          width="16"
          height="16"
          viewBox="0 0 16 16"
          fill="none"
          stroke="currentColor"
          stroke-width="1.6"
          aria-hidden="true"
        >
          {state.value === 'copied' ? (
            <path d="M3 8.5 6.5 12 13 4.5" />
          ) : (
            <path d="M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z" />
          )}
        </svg>
        {isNamed ? `Copy the ${what}` : null}
      </button>
      <span class="unseen" role="status">
        {said}
      </span>
    </>
  )
}

/** "0x7099…79C8". */
export function short(hex: string): string {
  return `${hex.slice(0, 6)}…${hex.slice(-4)}`
}
