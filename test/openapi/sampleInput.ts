import { type Address, formatUnits, type Hex } from 'viem'
import type { Operation } from '../../src/core/operation.ts'
import type { ExampleChain } from './exampleChain.ts'

/** An operation's input as a caller writes it. */
export type Input = Readonly<Record<string, unknown>>

/** Of 2100. */
const FAR_FUTURE = 4_102_444_800

/**
 * What goes into examples, by the names that fields have everywhere: a new operation has its example as soon as
 * the names of its fields are here.
 */
export class SampleInput {
  readonly #required: Input
  readonly #optional: Input
  readonly #signers: readonly (readonly [name: RegExp, signer: Address])[]
  readonly #stranger: Address
  readonly #keyId: string

  /** @param keyId of a developer key that can be looked at and revoked */
  constructor({ cast, tokens, wallets, subscribing }: ExampleChain, keyId: string) {
    const { coffeeWeekly: coffee } = cast
    const [provider] = wallets.providers
    this.#keyId = keyId
    this.#required = {
      id: coffee.id,
      from: wallets.newcomer,
      address: wallets.ada,
      subscriber: wallets.ben,
      token: tokens.usdc,
      txHash: subscribing,
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
    }
    this.#optional = {
      token: tokens.usdc,
      date: '2026-03-09',
      bySubscriber: true,
      // Small enough that the answers of lists go on.
      first: 3,
      subjectId: 'acme',
      label: 'The shop’s checkout',
      expiresAt: FAR_FUTURE,
    }
    this.#signers = [
      [/^prepare_(cancel|edit|create|unsubscribe_by_provider)/, provider],
      [/^prepare_(unsubscribe|revoke)/, wallets.ada],
      [/remit/, wallets.keeper],
    ]
    this.#stranger = wallets.admin
  }

  /** An input that the operation answers. Throws where a required field has no sample. */
  of(operation: Operation): Input {
    const entries = Object.entries(operation.input.shape).flatMap(([name, schema]) => {
      const isOptional = schema.safeParse(undefined).success
      const value = isOptional ? this.#optional[name] : this.#requiredValue(operation, name)
      return value === undefined ? [] : [[name, value] as const]
    })
    return Object.fromEntries(entries)
  }

  /** The same by somebody for whom it cannot be done. */
  refused(operation: Operation): Input {
    return this.#changed(operation, { from: this.#stranger, amount: '0.001' })
  }

  /** Valid input that names something that does not exist. */
  absent(operation: Operation): Input {
    const id: Hex = `0x${'de'.repeat(32)}`
    return this.#changed(operation, {
      id: operation.scope === 'keys' ? '00000000-0000-4000-8000-000000000000' : id,
      subscription: { ...this.#subscription, id },
      token: '0x00000000000000000000000000000000DeaDBeef',
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

  #requiredValue(operation: Operation, name: string): unknown {
    if (name === 'id' && operation.scope === 'keys') return this.#keyId
    const signer = this.#signers.find(([pattern]) => pattern.test(operation.name))?.[1]
    if (name === 'from' && signer !== undefined) return signer
    if (name in this.#required) return this.#required[name]
    throw new Error(`${operation.name}: say in ${import.meta.filename} what "${name}" is in an example`)
  }
}
