import { useSignal } from '@preact/signals'
import { linkTo } from '../../page/api.ts'

/** The search field of the frame: it leads to a wallet by its address, to a plan by its id (whose page knows transactions too), and to the plans with some words. */
export function Search() {
  const isUnknown = useSignal(false)
  return (
    <search class="search">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          const text = String(new FormData(event.currentTarget).get('q') ?? '')
          const found = placeOf(text)
          isUnknown.value = found === undefined
          if (found !== undefined) location.assign(found)
        }}
      >
        <label class="unseen" for="search">
          Words, a wallet address, a plan id or a transaction
        </label>
        <input
          class="input"
          id="search"
          name="q"
          type="text"
          autocomplete="off"
          maxLength={100}
          spellcheck={false}
          placeholder="Words, address, transaction"
          aria-invalid={isUnknown.value ? 'true' : undefined}
          aria-describedby="search-error"
        />
        <button type="submit" class="search__go" aria-label="Find">
          <svg
            width="18"
            height="18"
            viewBox="0 0 18 18"
            fill="none"
            stroke="currentColor"
            stroke-width="1.8"
            aria-hidden="true"
          >
            <circle cx="7.8" cy="7.8" r="5.2" />
            <path d="m11.8 11.8 4 4" />
          </svg>
        </button>
        <span class="unseen" id="search-error" role="alert">
          {isUnknown.value ? 'A wallet address has 40 digits after 0x, a plan id or a transaction 64.' : ''}
        </span>
      </form>
    </search>
  )
}

/** Where a text leads: see `Search`. `undefined` for an empty text, and for hexadecimal digits that are neither. */
export function placeOf(text: string): string | undefined {
  const hex = text.trim()
  if (/^0x[0-9a-f]{40}$/i.test(hex)) return linkTo(`/wallets/${hex}`)
  if (/^0x[0-9a-f]{64}$/i.test(hex)) return linkTo(`/plans/${hex.toLowerCase()}`)
  return hex === '' || /^0x/i.test(hex) ? undefined : linkTo('/plans', { q: hex })
}
