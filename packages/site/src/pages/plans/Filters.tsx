import { useRef, useState } from 'preact/hooks'
import { Button } from '../../design/Button.tsx'
import { Field } from '../../design/Field.tsx'
import { linkTo } from '../../page/api.ts'
import { pageData } from '../../page/pageData.ts'
import { given } from '../../page/Resource.ts'
import { symbolOf } from '../../words/money.ts'
import { strangersText } from '../../words/strangersText.ts'

// The form that searches the list of plans (`Filters`), and the filters that are set, as links that remove them (`Narrowed`). The page's
// query is what is searched for: a search, or a filter less, loads the page anew with another query.

const { query } = pageData

/** What was searched for, without the cursor `after`: another search begins at its first page. */
const { after: _, ...asked } = query

const FREQUENCIES = [
  ['', 'Any time'],
  ['0', 'Every week'],
  ['1', 'Every month'],
  ['2', 'Every quarter'],
  ['3', 'Every year'],
] as const

/** The orders of the list, the default ('') first. For a search by words (`q`) that is the best match. */
const SORTS = [
  query.q === undefined ? ['', 'Newest'] : ['', 'Best match'],
  ...(query.q === undefined ? [] : [['newest', 'Newest']]),
  ['lowest_amount', 'Lowest price'],
  ['highest_amount', 'Highest price'],
] as const

/** What the list is ordered by, such as "lowest price". */
export function orderWords(): string {
  const found = SORTS.find(([value]) => value === (query.sort ?? ''))
  return (found?.[1] ?? 'Newest').toLowerCase()
}

/**
 * The form that searches plans: words and prices, and below them what narrows the list. Each search loads the page anew. While
 * the form says that a price is wrong, its controls keep what was typed.
 */
export function Filters() {
  const [wrong, setWrong] = useState<Wrong>()
  const isByKey = useRef(false)
  const tokens = given('tokens', 'listApprovedTokens').value
  const rows = tokens.state === 'there' ? tokens.answer.tokens : []
  const search = (form: HTMLFormElement) => {
    const chosen = [...new FormData(form)].map(([name, value]) => [name, String(value).trim()])
    const { minAmount = '', maxAmount = '', ...others } = Object.fromEntries(chosen)
    const [least, most] = [priceOf(minAmount), priceOf(maxAmount)]
    if (least === undefined || most === undefined) {
      const names = PRICES.filter(
        (name) => priceOf(name === 'minAmount' ? minAmount : maxAmount) === undefined,
      )
      return setWrong({ names, words: 'A price is a number, such as 2.50.' })
    }
    if (least !== '' && most !== '' && Number(least) > Number(most)) {
      return setWrong({ names: PRICES, words: 'The lowest price is above the highest.' })
    }
    location.assign(linkTo('/plans', { ...asked, ...others, minAmount: least, maxAmount: most }))
  }
  return (
    <form
      class="plans__search"
      onSubmit={(event) => {
        event.preventDefault()
        search(event.currentTarget)
      }}
      onPointerDown={() => {
        isByKey.current = false
      }}
      onKeyDown={() => {
        isByKey.current = true
      }}
      onChange={(event) => {
        // By arrow keys each option in between would be chosen, and load the page. So with the keyboard, only the button searches.
        if (event.target instanceof HTMLSelectElement && !isByKey.current) search(event.currentTarget)
      }}
    >
      <div class="plans__words">
        <Field label="Search">
          {(control) => (
            <input
              {...control}
              type="search"
              name="q"
              maxLength={100}
              defaultValue={query.q ?? ''}
              placeholder="A word or a name"
            />
          )}
        </Field>
        <Price name="minAmount" label="Price from" wrong={wrong} />
        <Price name="maxAmount" label="Price to" wrong={wrong} />
        <Button type="submit" kind="primary">
          Search
        </Button>
      </div>
      <div class="plans__filters">
        <Choice
          name="token"
          label="Paid in"
          options={[['', 'Any token'], ...rows.map((token) => [token.address, nameOf(token)] as const)]}
        />
        <Choice name="frequency" label="How often" options={FREQUENCIES} />
        <Choice
          name="cancelled"
          label="Show"
          options={[
            ['', 'Open plans'],
            ['true', 'Cancelled plans'],
          ]}
        />
        <Choice name="sort" label="Sort by" options={SORTS} />
      </div>
      {wrong === undefined ? null : (
        <p class="field__error" id={WRONG} role="alert">
          {wrong.words}
        </p>
      )}
    </form>
  )
}

const WRONG = 'plans-wrong'
const PRICES = ['minAmount', 'maxAmount'] as const

/** Which prices cannot be searched by, and why. */
interface Wrong {
  readonly names: readonly (typeof PRICES)[number][]
  readonly words: string
}

interface PriceProps {
  readonly name: (typeof PRICES)[number]
  readonly label: string
  readonly wrong: Wrong | undefined
}

function Price({ name, label, wrong }: PriceProps) {
  return (
    <Field label={label}>
      {(control) => (
        <input
          {...control}
          name={name}
          inputMode="decimal"
          maxLength={40}
          autocomplete="off"
          defaultValue={query[name] ?? ''}
          placeholder={name === 'minAmount' ? '0' : 'Any'}
          {...(wrong?.names.includes(name)
            ? { 'aria-invalid': 'true' as const, 'aria-describedby': WRONG }
            : {})}
        />
      )}
    </Field>
  )
}

interface ChoiceProps {
  readonly name: 'token' | 'frequency' | 'cancelled' | 'sort'
  readonly label: string
  readonly options: readonly (readonly string[])[]
}

function Choice({ name, label, options }: ChoiceProps) {
  return (
    <Field label={label}>
      {(control) => (
        <select {...control} name={name}>
          {options.map(([value, title]) => (
            <option key={value} value={value} selected={value === (query[name] ?? '')}>
              {title}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

/** The filters that are set, each with a link to the list without it. */
export function Narrowed() {
  const tokens = given('tokens', 'listApprovedTokens').value
  const rows = tokens.state === 'there' ? tokens.answer.tokens : []
  const token = rows.find(({ address }) => address === query.token)
  const frequency = FREQUENCIES.find(([value]) => value === query.frequency)
  const chips = [
    ['q', query.q && `“${strangersText(query.q, 40)}”`],
    ['minAmount', query.minAmount && `from ${strangersText(query.minAmount, 40)}`],
    ['maxAmount', query.maxAmount && `up to ${strangersText(query.maxAmount, 40)}`],
    ['token', query.token && `in ${token === undefined ? strangersText(query.token, 42) : nameOf(token)}`],
    ['frequency', query.frequency && (frequency?.[1].toLowerCase() ?? strangersText(query.frequency, 20))],
    ['provider', query.provider && `by ${strangersText(query.provider, 42)}`],
    ['cancelled', query.cancelled === 'true' ? 'cancelled' : undefined],
  ] as const
  const set = chips.filter(([, words]) => words)
  if (set.length === 0) return null
  return (
    <ul class="plans__narrowed" aria-label="What the list is narrowed to">
      {set.map(([name, words]) => (
        <li key={name}>
          <a
            class="plans__chip"
            href={linkTo('/plans', { ...asked, [name]: undefined })}
            aria-label={`Remove ${words}`}
          >
            {words} <span aria-hidden="true">×</span>
          </a>
        </li>
      ))}
      {set.length > 1 ? (
        <li>
          <a href={linkTo('/plans')}>Clear all</a>
        </li>
      ) : null}
    </ul>
  )
}

function nameOf(token: { readonly symbol: string | null; readonly address: string }): string {
  return strangersText(symbolOf(token), 20)
}

/** A price as the API takes it: "2.5", or '' for none. A comma is a point; `undefined` for what is no number. */
function priceOf(text: string): string | undefined {
  const plain = text.replace(',', '.').replace(/^0+(?=\d)/, '')
  return plain === '' || /^\d+(\.\d+)?$/.test(plain) ? plain : undefined
}
