import { type FromButton, type FromPage, UNAVAILABLE, type Unavailable, WINDOW_NAME } from './messages.ts'
import { STYLE } from './style.ts'

/** How often to look whether the window was closed: across origins no event tells. */
const LOOK_EVERY_MS = 400
const WINDOW_SIZE = { width: 480, height: 800 }

/** What stands below the button where nobody can subscribe. */
const WORDS: Readonly<Record<Unavailable | 'invalid', string>> = {
  invalid: 'This button names no plan.',
  'not-found': 'This plan does not exist.',
  cancelled: 'This plan has ended.',
  unreachable: 'This plan cannot be shown now.',
}

/** What the attributes name. */
interface Target {
  readonly plan: string
  readonly chainId: number | null
  /** The address of the page. */
  readonly address: string
}

/**
 * `<remit-subscribe plan="0x…" chain="8453">`: a button that opens the subscribe page in a window of its own. `paymaster` is the
 * address of who offers to pay the network's fee.
 *
 * Its events: `remit-ready`; `remit-subscribed` with `{ plan, chainId, transactionHash, blockNumber }`; `remit-closed`
 * with `{ subscribed, pending }`, where `pending` says that something was sent and nobody has seen yet whether it
 * subscribes; `remit-unavailable` with `{ plan, chainId, reason }` where nobody can subscribe; where it has the attribute
 * `pass`, `remit-pass` with `{ plan, chainId, pass, expiresAt }`. All bubble.
 * Use these events for display only: ask the API what a subscriber is entitled to, or verify the pass.
 */
export class SubscribeButton extends HTMLElement {
  static readonly observedAttributes = ['plan', 'chain', 'paymaster']
  readonly #button: HTMLButtonElement
  readonly #note: HTMLElement
  readonly #link: HTMLAnchorElement
  readonly #name = WINDOW_NAME + randomText()
  /** Each page that is opened has its own, so that late messages of the page before it are not heard. */
  #nonce = ''
  #opened: Window | null = null
  /** What the window was opened for. The attributes may name another plan by the time that it speaks. */
  #openedFor: Target | undefined
  #looking: ReturnType<typeof setInterval> | undefined
  #telling: ReturnType<typeof setTimeout> | undefined
  #isReady = false
  #hasSubscribed = false
  #isPending = false

  constructor() {
    super()
    const root = this.attachShadow({ mode: 'open', delegatesFocus: true })
    // A sheet of its own, not a style element: the host page's policy need not allow inline styles.
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(STYLE)
    root.adoptedStyleSheets = [sheet]
    this.#button = made('button')
    this.#button.type = 'button'
    this.#button.part.add('button')
    const slot = made('slot')
    slot.append('Subscribe')
    this.#button.append(slot)
    this.#button.addEventListener('click', () => this.#open())
    this.#link = made('a')
    this.#link.target = this.#name
    this.#link.rel = 'opener'
    this.#link.part.add('link')
    this.#link.append('Open it in a tab')
    this.#link.addEventListener('click', () => {
      this.#isReady = false
      this.#openedFor = this.#target
    })
    this.#note = made('span')
    this.#note.setAttribute('role', 'status')
    this.#note.part.add('note', 'blocked')
    root.append(this.#button, this.#note)
  }

  connectedCallback(): void {
    addEventListener('message', this.#onMessage)
    if (this.#opened !== null) this.#watch()
    this.#update()
  }

  disconnectedCallback(): void {
    removeEventListener('message', this.#onMessage)
    clearInterval(this.#looking)
  }

  attributeChangedCallback(): void {
    this.#update()
  }

  /** `undefined` where the attributes name no plan. */
  get #target(): Target | undefined {
    const plan = this.getAttribute('plan') ?? ''
    const chain = this.getAttribute('chain') ?? ''
    if (!/^0x[0-9a-f]{64}$/i.test(plan) || !/^\d{1,15}$/.test(chain || '0')) return undefined
    const page = new URL(`subscribe/${plan}`, import.meta.url)
    // The page says whether the paymaster may be asked: an address that it cannot use is as none.
    const asked = { chainId: chain, paymaster: this.getAttribute('paymaster') }
    for (const [name, value] of Object.entries(asked)) if (value) page.searchParams.set(name, value)
    return { plan, chainId: Number(chain) || null, address: page.href }
  }

  #update(): void {
    const target = this.#target
    this.#button.disabled = target === undefined
    this.#link.href = target?.address ?? ''
    this.#say()
    const plan = this.getAttribute('plan')
    // A page may set the plan once it knows it.
    if (target !== undefined || plan === null || !this.isConnected) return
    this.#say(WORDS.invalid)
    // Its page listens by then, and has set all that it sets.
    clearTimeout(this.#telling)
    this.#telling = setTimeout(() => {
      if (this.#target !== undefined || this.getAttribute('plan') !== plan) return
      this.#tell('unavailable', { plan, chainId: null, reason: 'invalid' })
    })
  }

  #open(): void {
    const target = this.#target
    if (target === undefined) return
    if (this.#opened?.closed === false && this.#openedFor?.address === target.address) {
      this.#opened.focus()
      return
    }
    const { width, height } = WINDOW_SIZE
    const left = Math.round(screenX + (outerWidth - width) / 2)
    const top = Math.round(screenY + Math.max(0, outerHeight - height) / 2)
    const features = `popup,width=${width},height=${height},left=${left},top=${top}`
    const opened = open(target.address, this.#name, features)
    this.#say()
    if (opened === null) {
      this.#say('Your browser blocked the window. ', this.#link)
      this.#link.focus()
    } else {
      this.#openedFor = target
      this.#follow(opened)
    }
  }

  #follow(opened: Window): void {
    this.#opened = opened
    this.#nonce = randomText()
    this.#isReady = false
    this.#hasSubscribed = false
    this.#isPending = false
    this.#watch()
  }

  #watch(): void {
    clearInterval(this.#looking)
    this.#looking = setInterval(() => {
      if (this.#opened?.closed === false) return
      clearInterval(this.#looking)
      this.#opened = null
      // Where the host page cuts its windows off (`Cross-Origin-Opener-Policy`), every one of them looks closed at once.
      const subscribed = this.#hasSubscribed
      if (this.#isReady) this.#tell('closed', { subscribed, pending: this.#isPending })
    }, LOOK_EVERY_MS)
  }

  readonly #onMessage = ({ data, source, origin }: MessageEvent<unknown>): void => {
    const service = new URL(import.meta.url).origin
    if (origin !== service || !isWindow(source) || !isFromPage(data)) return
    if (data.remit === 'here') {
      if (data.name !== this.#name) return
      // The link opens a window whose handle only this message has.
      if (this.#opened !== source) this.#follow(source)
      const hello: FromButton = {
        remit: 'hello',
        nonce: this.#nonce,
        wantsPass: this.hasAttribute('pass'),
      }
      source.postMessage(hello, service)
    } else if (source === this.#opened && data.nonce === this.#nonce) {
      this.#hear(data)
    }
  }

  #hear(said: Exclude<FromPage, { remit: 'here' }>): void {
    const { plan = null, chainId = null } = this.#openedFor ?? {}
    const about = { plan, chainId }
    if (said.remit === 'ready') {
      this.#isReady = true
      this.#say()
      this.#tell('ready', {})
    } else if (said.remit === 'unavailable') {
      this.#say(WORDS[said.reason])
      this.#tell('unavailable', { ...about, reason: said.reason })
    } else if (said.remit === 'pending') {
      this.#isPending = said.isPending
    } else if (said.remit === 'pass') {
      const { pass, expiresAt } = said
      this.#tell('pass', { ...about, pass, expiresAt })
    } else {
      const { transactionHash, blockNumber } = said
      this.#hasSubscribed = true
      this.#isPending = false
      this.#tell('subscribed', { ...about, transactionHash, blockNumber })
    }
  }

  /** Puts this below the button, or nothing. */
  #say(...words: (string | Node)[]): void {
    this.#note.replaceChildren(...words)
  }

  #tell(name: string, detail: object): void {
    this.dispatchEvent(new CustomEvent(`remit-${name}`, { detail, bubbles: true, composed: true }))
  }
}

function made<Tag extends 'button' | 'slot' | 'a' | 'span'>(tag: Tag): HTMLElementTagNameMap[Tag] {
  return document.createElement(tag)
}

/** 128 random bits. `crypto.randomUUID` is for secure contexts only, and a host page in development may be none. */
function randomText(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-')
}

function isWindow(source: MessageEventSource | null): source is Window {
  return source !== null && 'closed' in source
}

/** The page is the service's own, and still trusted as little as possible. */
function isFromPage(data: unknown): data is FromPage {
  if (typeof data !== 'object' || data === null || !('remit' in data)) return false
  const said: {
    remit: unknown
    name?: unknown
    nonce?: unknown
    isPending?: unknown
    transactionHash?: unknown
    blockNumber?: unknown
    pass?: unknown
    expiresAt?: unknown
    reason?: unknown
  } = data
  if (said.remit === 'here') return typeof said.name === 'string'
  if (typeof said.nonce !== 'string') return false
  if (said.remit === 'ready') return true
  if (said.remit === 'unavailable') return UNAVAILABLE.some((reason) => reason === said.reason)
  if (said.remit === 'pending') return typeof said.isPending === 'boolean'
  if (said.remit === 'pass') {
    return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(String(said.pass)) && Number.isSafeInteger(said.expiresAt)
  }
  return (
    said.remit === 'subscribed' &&
    /^0x[0-9a-f]{64}$/i.test(String(said.transactionHash)) &&
    Number.isSafeInteger(said.blockNumber)
  )
}
