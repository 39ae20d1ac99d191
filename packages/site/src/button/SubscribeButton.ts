import { type FromButton, type FromPage, UNAVAILABLE, type Unavailable, WINDOW_NAME } from './messages.ts'
import { STYLE } from './style.ts'

/** How often to look whether the window was closed: across origins no event tells. */
const LOOK_EVERY_MS = 400
/** In CSS pixels. */
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
  /** The plan's id. */
  readonly plan: string
  /** `null` is the service's default chain. */
  readonly chainId: number | null
  /** The address of its subscribe page. */
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
 *
 * What the button and that window say to each other is told in `messages.ts`.
 */
export class SubscribeButton extends HTMLElement {
  static readonly observedAttributes = ['plan', 'chain', 'paymaster']
  readonly #button: HTMLButtonElement
  readonly #note: HTMLElement
  readonly #link: HTMLAnchorElement
  readonly #windowName = WINDOW_NAME + randomText()
  /** Sent to the page, which repeats it in each message. Each opened page has its own, so late messages of an earlier page are ignored. */
  #nonce = ''
  #opened: Window | null = null
  /** What the window was opened for. The attributes may name another plan by the time that it speaks. */
  #openedFor: Target | undefined
  #closedTimer: ReturnType<typeof setInterval> | undefined
  #invalidTimer: ReturnType<typeof setTimeout> | undefined
  /** Whether the page in the window has answered. Without that, no event tells that the window was closed. */
  #isReady = false
  #hasSubscribed = false
  /** Whether the page has sent something that is not mined yet. */
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
    this.#link.target = this.#windowName
    this.#link.rel = 'opener'
    this.#link.part.add('link')
    this.#link.append('Open it in a tab')
    this.#link.addEventListener('click', () => {
      // A link gives no handle of what it opens. The page's `here` message brings it (`#onMessage`).
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
    if (this.#opened !== null) this.#watchForClosing()
    this.#update()
  }

  disconnectedCallback(): void {
    removeEventListener('message', this.#onMessage)
    clearInterval(this.#closedTimer)
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
    // The paymaster is not checked here: the page ignores an address that it cannot use.
    const asked = { chainId: chain, paymaster: this.getAttribute('paymaster') }
    for (const [name, value] of Object.entries(asked)) if (value) page.searchParams.set(name, value)
    return { plan, chainId: Number(chain) || null, address: page.href }
  }

  #update(): void {
    const target = this.#target
    this.#button.disabled = target === undefined
    this.#link.href = target?.address ?? ''
    this.#showNote()
    const plan = this.getAttribute('plan')
    // Without the attribute nothing is wrong yet: the host page may set it once it knows the plan.
    if (target !== undefined || plan === null || !this.isConnected) return
    this.#showNote(WORDS.invalid)
    // The event waits until the host page's script has set all attributes and its listeners.
    clearTimeout(this.#invalidTimer)
    this.#invalidTimer = setTimeout(() => {
      if (this.#target !== undefined || this.getAttribute('plan') !== plan) return
      this.#dispatch('unavailable', { plan, chainId: null, reason: 'invalid' })
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
    const opened = open(target.address, this.#windowName, features)
    this.#showNote()
    if (opened === null) {
      this.#showNote('Your browser blocked the window. ', this.#link)
      this.#link.focus()
    } else {
      this.#openedFor = target
      this.#beginWith(opened)
    }
  }

  /** Forgets what was known of an earlier window, and listens to this one. */
  #beginWith(opened: Window): void {
    this.#opened = opened
    this.#nonce = randomText()
    this.#isReady = false
    this.#hasSubscribed = false
    this.#isPending = false
    this.#watchForClosing()
  }

  #watchForClosing(): void {
    clearInterval(this.#closedTimer)
    this.#closedTimer = setInterval(() => {
      if (this.#opened?.closed === false) return
      clearInterval(this.#closedTimer)
      this.#opened = null
      const subscribed = this.#hasSubscribed
      // Where the host page cuts its windows off (`Cross-Origin-Opener-Policy`), each looks closed at once, before it is ready.
      if (this.#isReady) this.#dispatch('closed', { subscribed, pending: this.#isPending })
    }, LOOK_EVERY_MS)
  }

  readonly #onMessage = ({ data, source, origin }: MessageEvent<unknown>): void => {
    const service = new URL(import.meta.url).origin
    if (origin !== service || !isWindow(source) || !isFromPage(data)) return
    if (data.remit === 'here') {
      if (data.name !== this.#windowName) return
      // A window that the link has opened: only this message has its handle.
      if (this.#opened !== source) this.#beginWith(source)
      const hello: FromButton = {
        remit: 'hello',
        nonce: this.#nonce,
        wantsPass: this.hasAttribute('pass'),
      }
      source.postMessage(hello, service)
    } else if (source === this.#opened && data.nonce === this.#nonce) {
      this.#passOn(data)
    }
  }

  /** Keeps what the page says, and tells the host page as an event. */
  #passOn(said: Exclude<FromPage, { remit: 'here' }>): void {
    const { plan = null, chainId = null } = this.#openedFor ?? {}
    const about = { plan, chainId }
    if (said.remit === 'ready') {
      this.#isReady = true
      this.#showNote()
      this.#dispatch('ready', {})
    } else if (said.remit === 'unavailable') {
      this.#showNote(WORDS[said.reason])
      this.#dispatch('unavailable', { ...about, reason: said.reason })
    } else if (said.remit === 'pending') {
      this.#isPending = said.isPending
    } else if (said.remit === 'pass') {
      const { pass, expiresAt } = said
      this.#dispatch('pass', { ...about, pass, expiresAt })
    } else {
      const { transactionHash, blockNumber } = said
      this.#hasSubscribed = true
      this.#isPending = false
      this.#dispatch('subscribed', { ...about, transactionHash, blockNumber })
    }
  }

  /** Puts these words below the button. Without any it takes away what stood there. */
  #showNote(...words: (string | Node)[]): void {
    this.#note.replaceChildren(...words)
  }

  #dispatch(name: string, detail: object): void {
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

/** Checks the shape of a message: the page is the service's own, and still trusted as little as possible. */
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
