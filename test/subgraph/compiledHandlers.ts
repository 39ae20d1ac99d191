import { readFileSync } from 'node:fs'
import { bytesToHex, type Hex, hexToBytes } from 'viem'

/** What a handler saves: the entity's type, and its fields as GraphQL gives them. */
export interface SavedEntity {
  readonly type: string
  readonly values: Readonly<Record<string, unknown>>
}

/** A parameter of an event, by its kind in the ABI. */
export interface EventParameter {
  readonly name: string
  readonly type: string
  readonly value: unknown
}

export interface HandledEvent {
  readonly parameters: readonly EventParameter[]
  readonly transactionHash: Hex
  readonly logIndex: number
  readonly blockNumber: bigint
  readonly blockTimestamp: bigint
}

/** As much of WebAssembly as is used here; Node's types only name it. */
interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer }
  _start(): void
  __new(size: number, classId: number): number
  id_of_type(typeId: number): number
}
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: Exports & Handlers }
}
type Handlers = Readonly<Record<string, (event: number) => void>>

/** graph-ts: `TypeId`, `ethereum.ValueKind` and the store's `ValueKind`. */
const TypeId = { string: 0, buffer: 1, bytes: 6, parameters: 19, parameter: 23, value: 30, event: 33 }
const KINDS: Readonly<Record<string, number>> = { address: 0, bytes32: 1, uint: 4, bool: 5, string: 6 }
const Stored = { string: 0, int: 1, bool: 3, bytes: 6, bigInt: 7 }

/**
 * Runs the handlers of a built subgraph as graph-node does: with an event laid out in the module's memory in
 * the classes of graph-ts, and with a store that takes what they save.
 */
export function loadHandlers(wasmFile: string): (name: string, event: HandledEvent) => SavedEntity[] {
  const module = new WebAssembly.Module(readFileSync(wasmFile))
  return (name, event) => {
    const saved: SavedEntity[] = []
    const imports = {
      env: {
        abort(message: number) {
          throw new Error(`the handler aborted: ${message === 0 ? '' : memory.string(message)}`)
        },
      },
      conversion: {
        'typeConversion.bytesToHex': (bytes: number) => memory.newString(memory.bytes(bytes)),
        'typeConversion.bigIntToString': () => unexpected('bigIntToString'),
      },
      numbers: { 'bigDecimal.toString': () => unexpected('bigDecimal.toString') },
      index: {
        'store.set': (type: number, _id: number, entity: number) => {
          saved.push({ type: memory.string(type), values: memory.entity(entity) })
        },
      },
    }
    const { exports } = new WebAssembly.Instance(module, imports)
    const memory = new Memory(exports)
    exports._start()
    const handler = exports[name]
    if (typeof handler !== 'function') throw new Error(`the subgraph has no handler ${name}`)
    handler(memory.newEvent(event))
    return saved
  }
}

function unexpected(what: string): never {
  throw new Error(`a handler needs ${what}, which only an entity that it should not save needs`)
}

/** Objects of AssemblyScript: fields one after another, pointers of four bytes, the size before the object. */
class Memory {
  readonly #exports: Exports

  constructor(exports: Exports) {
    this.#exports = exports
  }

  get #view(): DataView {
    return new DataView(this.#exports.memory.buffer)
  }

  #new(typeId: number, size: number): number {
    return this.#exports.__new(size, this.#exports.id_of_type(typeId))
  }

  #newPointers(typeId: number, pointers: readonly number[]): number {
    const object = this.#new(typeId, 4 * pointers.length)
    pointers.forEach((pointer, index) => {
      this.#view.setUint32(object + 4 * index, pointer, true)
    })
    return object
  }

  newString(text: string): number {
    const object = this.#new(TypeId.string, 2 * text.length)
    Buffer.from(text, 'utf16le').copy(Buffer.from(this.#exports.memory.buffer), object)
    return object
  }

  #newBytes(bytes: Uint8Array): number {
    const buffer = this.#new(TypeId.buffer, bytes.length)
    new Uint8Array(this.#exports.memory.buffer).set(bytes, buffer)
    return this.#newPointers(TypeId.bytes, [buffer, buffer, bytes.length])
  }

  /** Two's complement, the least significant byte first, with room for a sign. */
  #newBigInt(value: bigint): number {
    const digits = value.toString(16)
    const hex = digits.length % 2 === 0 ? `00${digits}` : `0${digits}`
    return this.#newBytes(hexToBytes(`0x${hex}`).reverse())
  }

  #newParameter({ name, type, value }: EventParameter): number {
    const kind = KINDS[type.startsWith('uint') ? 'uint' : type]
    const object = this.#new(TypeId.value, 16)
    if (kind === undefined) throw new Error(`a parameter of type ${type} is not laid out here`)
    this.#view.setUint32(object, kind, true)
    this.#view.setBigUint64(object + 8, BigInt(this.#payload(kind, value)), true)
    return this.#newPointers(TypeId.parameter, [this.newString(name), object])
  }

  #payload(kind: number, value: unknown): number | bigint {
    if (kind === KINDS.bool) return value === true ? 1n : 0n
    if (kind === KINDS.uint) return this.#newBigInt(BigInt(String(value)))
    if (kind === KINDS.string) return this.newString(String(value))
    return this.#newBytes(hexToBytes(`0x${String(value).slice(2)}`))
  }

  newEvent(event: HandledEvent): number {
    const block = Array.from({ length: 15 }, () => 0)
    block[7] = this.#newBigInt(event.blockNumber)
    block[10] = this.#newBigInt(event.blockTimestamp)
    const transaction = [
      this.#newBytes(hexToBytes(event.transactionHash)),
      ...Array.from({ length: 8 }, () => 0),
    ]
    const list = event.parameters.map((parameter) => this.#newParameter(parameter))
    const items = this.#newPointers(TypeId.buffer, list)
    const parameters = [items, items, 4 * list.length, list.length]
    return this.#newPointers(TypeId.event, [
      0,
      this.#newBigInt(BigInt(event.logIndex)),
      0,
      0,
      this.#newPointers(TypeId.event, block),
      this.#newPointers(TypeId.event, transaction),
      this.#newPointers(TypeId.parameters, parameters),
      0,
    ])
  }

  string(pointer: number): string {
    const size = this.#view.getUint32(pointer - 4, true)
    return Buffer.from(this.#exports.memory.buffer, pointer, size).toString('utf16le')
  }

  bytes(pointer: number): Hex {
    const [start, length] = [this.#view.getUint32(pointer + 4, true), this.#view.getUint32(pointer + 8, true)]
    return bytesToHex(new Uint8Array(this.#exports.memory.buffer, start, length))
  }

  /** An entity is a list of entries, each of a name and a value. */
  entity(pointer: number): Record<string, unknown> {
    const entries = this.#view.getUint32(pointer, true)
    const start = this.#view.getUint32(entries + 4, true)
    const length = this.#view.getUint32(entries + 12, true)
    return Object.fromEntries(
      Array.from({ length }, (_, index) => {
        const entry = this.#view.getUint32(start + 4 * index, true)
        const [key, value] = [this.#view.getUint32(entry, true), this.#view.getUint32(entry + 4, true)]
        return [this.string(key), this.#value(value)]
      }),
    )
  }

  #value(pointer: number): unknown {
    const kind = this.#view.getUint32(pointer, true)
    const data = this.#view.getUint32(pointer + 8, true)
    switch (kind) {
      case Stored.string:
        return this.string(data)
      case Stored.int:
        return data
      case Stored.bool:
        return data !== 0
      case Stored.bytes:
        return this.bytes(data)
      case Stored.bigInt:
        return `${BigInt(bytesToHex(hexToBytes(this.bytes(data)).reverse()))}`
      default:
        throw new Error(`a stored value of kind ${kind} is not read here`)
    }
  }
}
