import type { Operation } from '@remit/service/testing/calls/serviceOperation'
import { type Address, formatUnits, type Hex } from 'viem'
import type { ExampleChain } from './exampleChain.ts'
import type { ExampleWebhooks } from './exampleWebhooks.ts'

/** An operation's input as a caller writes it. */
export type Input = Readonly<Record<string, unknown>>

/** Of 2100. */
export const FAR_FUTURE = 4_102_444_800

const NO_TOKEN = '0x00000000000000000000000000000000DeaDBeef'
/** What takes a permit that somebody has signed. */
const SIGNED = ['prepare_carry_permit', 'prepare_carry_top_up', 'offer_rescue']

/** What a webhook is to tell, and what it is for. */
const WISHES: Input = {
  types: ['payment.failed', 'subscriber.dropped'],
  description: 'Tells the shop of payments that failed',
}

/**
 * What goes into examples, by the names that fields have everywhere: a new operation has its example as soon as
 * the names of its fields are here.
 */
export class SampleInput {
  readonly #required: Input
  readonly #optional: Input
  readonly #signers: readonly (readonly [name: RegExp, signer: Address])[]
  readonly #stranger: Address
  readonly #provider: Address
  readonly #keyId: string
  readonly #webhooks: ExampleWebhooks
  readonly #permit: Input
  readonly #topUp: Input
  readonly #rescueId: string

  /**
   * @param keyId of a developer key that can be looked at and revoked
   * @param rescueId of a permit that ben has left, and can take back
   */
  constructor(
    { cast, tokens, wallets, subscribing, subscribingLog, permit, topUp }: ExampleChain,
    keyId: string,
    webhooks: ExampleWebhooks,
    rescueId: string,
  ) {
    const { coffeeWeekly: coffee, serverQuarterly } = cast
    const [provider] = wallets.providers
    this.#keyId = keyId
    this.#webhooks = webhooks
    this.#permit = permit
    this.#topUp = topUp
    this.#rescueId = rescueId
    this.#provider = provider
    this.#required = {
      id: coffee.id,
      from: wallets.newcomer,
      provider,
      address: wallets.ada,
      subscriber: wallets.ben,
      token: tokens.usdc,
      txHash: subscribing,
      logIndex: subscribingLog,
      to: '2026-04-01',
      amount: '19.99',
      details: { url: 'https://coffee.example/espresso', description: 'Two bags of espresso a month' },
      frequency: 1,
      dueDay: 15,
      subscription: {
        id: coffee.id,
        amount: formatUnits(coffee.amount, 18),
        provider,
        token: coffee.token,
        frequency: coffee.frequency,
        dueDay: coffee.dueDay,
      },
      description: 'Roasters, and a shop as well',
      company: 'Coffee House',
      url: 'https://coffee.example',
      domain: 'coffee.example',
      email: 'hello@coffee.example',
      misc: '',
      subjectId: 'acme',
      label: 'The shop’s checkout',
      // Its next due day is far away: what is overdue gives no pass.
      subscriptionId: serverQuarterly.id,
      audience: 'https://coffee.example',
      // He subscribes to something in the token.
      account: wallets.ben,
      // The service signs in by itself where it needs that.
      message: '',
      signature: '0x',
    }
    this.#optional = {
      token: tokens.usdc,
      date: '2026-03-11',
      bySubscriber: true,
      approvalPeriods: 24,
      value: '25000000',
      // Small enough that the answers of lists go on.
      first: 3,
      subjectId: 'acme',
      label: 'The shop’s checkout',
      expiresAt: FAR_FUTURE,
    }
    this.#signers = [
      [/^prepare_(cancel|edit|create|unsubscribe_by_provider)/, provider],
      [/^prepare_(unsubscribe|revoke)/, wallets.ada],
      // His allowance does not last for so many charges.
      [/^prepare_extend/, wallets.ben],
      [/remit|_carry_/, wallets.keeper],
    ]
    this.#stranger = wallets.admin
  }

  /** An input that the operation answers. Throws where a required field has no sample. */
  of(operation: Operation): Input {
    const entries = Object.entries(operation.input.shape).flatMap(([name, schema]) => {
      const isOptional = schema.safeParse(undefined).success
      const value = isOptional ? this.#optionalValue(operation, name) : this.#requiredValue(operation, name)
      return value === undefined ? [] : [[name, value] as const]
    })
    return Object.fromEntries(entries)
  }

  /** The same by somebody for whom it cannot be done. */
  refused(operation: Operation): Input {
    // Anybody can carry a permit, but of an approved token.
    if (SIGNED.includes(operation.name)) return this.#changed(operation, { token: NO_TOKEN })
    return this.#changed(operation, { from: this.#stranger, amount: '0.001' })
  }

  /** Valid input that names something that does not exist. */
  absent(operation: Operation): Input {
    const id: Hex = `0x${'de'.repeat(32)}`
    if (operation.audience === 'developers') {
      const event = { eventId: `evt_${'0'.repeat(40)}` }
      return this.#changed(
        operation,
        'eventId' in operation.input.shape ? event : { id: `wh_${'0'.repeat(32)}` },
      )
    }
    if (operation.audience === 'wallets') return this.#changed(operation, { id: `rescue_${'0'.repeat(32)}` })
    return this.#changed(operation, {
      id: operation.audience === 'operators' ? '00000000-0000-4000-8000-000000000000' : id,
      subscription: { ...this.#subscription, id },
      subscriptionId: id,
      token: NO_TOKEN,
      ...(operation.name === 'get_payment' ? { txHash: id } : {}),
    })
  }

  /** The same on terms that are not the chain's. */
  mistaken(operation: Operation): Input {
    return this.#changed(operation, { subscription: { ...this.#subscription, amount: '15', dueDay: 5 } })
  }

  get #subscription(): object {
    return Object(this.#required.subscription)
  }

  #changed(operation: Operation, changes: Input): Input {
    const sample = this.of(operation)
    const own = Object.entries(changes).filter(([name]) => name in sample)
    return { ...sample, ...Object.fromEntries(own) }
  }

  /** What somebody has signed, in the fields of what takes it. */
  #signed(operation: string): Input {
    if (!SIGNED.includes(operation)) return {}
    return operation.endsWith('_top_up') ? this.#topUp : this.#permit
  }

  #optionalValue({ name: operation, audience }: Operation, name: string): unknown {
    const signed = this.#signed(operation)
    if (name in signed) return signed[name]
    // What everybody sees is none of ben's.
    if (operation === 'list_rescues' && name === 'provider') return this.#provider
    return audience === 'developers' && name in WISHES ? WISHES[name] : this.#optional[name]
  }

  #requiredValue(operation: Operation, name: string): unknown {
    if (operation.audience === 'developers') {
      const { id, deletable, url, eventId } = this.#webhooks
      const own: Input = {
        id: operation.name === 'delete_webhook' ? deletable : id,
        url,
        eventId,
        since: Date.UTC(2026, 2, 1) / 1_000,
      }
      if (name in own) return own[name]
    }
    const signed = this.#signed(operation.name)
    if (name in signed) return signed[name]
    if (operation.name === 'withdraw_rescue') return this.#rescueId
    if (name === 'id' && operation.audience === 'operators') return this.#keyId
    const signer = this.#signers.find(([pattern]) => pattern.test(operation.name))?.[1]
    if (name === 'address' && operation.name === 'get_membership') return this.#required.subscriber
    // Somebody whose lists are long enough to go on.
    if (name === 'address' && /provider_(revenue|outlook|payments)$/.test(operation.name))
      return this.#provider
    if (name === 'from' && operation.name.endsWith('_revenue')) return '2026-03-01'
    if (name === 'from' && signer !== undefined) return signer
    if (name in this.#required) return this.#required[name]
    throw new Error(`${operation.name}: say in ${import.meta.filename} what "${name}" is in an example`)
  }
}
