import type { HDAccount } from 'viem'
import { createSiweMessage } from 'viem/siwe'
import * as z from 'zod'
import type { TestAnswer, TestService } from '../support/service/testService.ts'

const Terms = z.object({ nonce: z.string(), origins: z.array(z.string()) })
const SignedIn = z.object({ secret: z.string() })

export type Fields = Partial<Parameters<typeof createSiweMessage>[0]>

/** A browser with the portal's page open: it keeps cookies and what the page stores, and names the page's origin. */
export class Browser {
  cookie: string | undefined
  /** What the page has stored of its session. */
  secret: string | undefined
  readonly #service: TestService
  readonly #chainId: number
  readonly #now: () => number

  /** @param now the clock of the machine, unix milliseconds */
  constructor(service: TestService, chainId: number, now: () => number) {
    this.#service = service
    this.#chainId = chainId
    this.#now = now
  }

  get origin(): string {
    return this.#service.url
  }

  /** As the page's own scripts ask. @param headers over those of the browser */
  async ask(
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string | undefined> = {},
  ): Promise<TestAnswer> {
    const all: Record<string, string | undefined> = {
      ...(method === 'GET' ? {} : { Origin: this.origin }),
      'Sec-Fetch-Site': 'same-origin',
      Cookie: this.cookie,
      'X-Session-Secret': this.secret,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    }
    const given = Object.entries(all).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as [string, string]],
    )
    const answer = await this.#service.get(path, {
      method,
      headers: given,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const set = answer.headers.get('set-cookie')
    if (set !== null) this.cookie = set.startsWith('remit_session=;') ? undefined : set.split(';')[0]
    const signedIn = SignedIn.safeParse(answer.body)
    if (answer.status === 201 && path === '/portal/session' && signedIn.success)
      this.secret = signedIn.data.secret
    return answer
  }

  async nonce(): Promise<string> {
    const { body } = await this.ask('POST', '/portal/nonce', {})
    return Terms.parse(body).nonce
  }

  /** The message that a wallet signs. @param fields other than fit */
  async message(account: Pick<HDAccount, 'address'>, fields: Fields = {}): Promise<string> {
    const nonce = fields.nonce ?? (await this.nonce())
    return createSiweMessage({
      address: account.address,
      chainId: this.#chainId,
      domain: new URL(this.origin).host,
      issuedAt: new Date(this.#now()),
      uri: `${this.origin}/portal`,
      version: '1',
      statement: 'Sign in to manage your API keys.',
      ...fields,
      nonce,
    })
  }

  async signIn(
    account: Pick<HDAccount, 'address' | 'signMessage'>,
    fields: Fields = {},
  ): Promise<TestAnswer> {
    const message = await this.message(account, fields)
    const signature = await account.signMessage({ message })
    return this.ask('POST', '/portal/session', { message, signature })
  }
}
