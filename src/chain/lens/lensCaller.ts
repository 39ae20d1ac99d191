import {
  concatHex,
  encodeDeployData,
  type Hex,
  hexToBigInt,
  hexToNumber,
  keccak256,
  numberToHex,
  size,
  slice,
} from 'viem'
import { LensPage } from '../../../contracts/generated/LensPage.ts'
import { SubscriptionsLens } from '../../../contracts/generated/SubscriptionsLens.ts'
import type { Log } from '../../core/ports/log.ts'
import { BlockHeader, type Head } from '../head/head.ts'
import { NodeBytes } from '../rpc/quantity.ts'
import { type Rpc, RpcResponseError, UnknownBlockError } from '../rpc/rpc.ts'

/**
 * How a node runs the lens: with its code lent to an address, or, where a node refuses that, within a creation;
 * at the block's hash, or, where a node only takes numbers, at its number.
 */
interface Mode {
  readonly lend: boolean
  readonly byHash: boolean
}

/** The best first. */
const MODES: readonly Mode[] = [
  { lend: true, byHash: true },
  { lend: true, byHash: false },
  { lend: false, byHash: true },
  { lend: false, byHash: false },
]

/** Nobody's address: no chain has code there that could answer in the lens's place. */
const LENS_ADDRESS = '0x52454d49544c454e5300000000000000005245ad'

/** A node that refused the best way is asked for it again after so long. */
const REPROBE_MS = 10 * 60_000

const STAMP_BYTES = 96
const MOST_INITCODE_BYTES = 49_152
const PART_BYTES = 24_576 - 64
const MOST_ANSWER_BYTES = 8 * 1024 * 1024
const MOST_RESTARTS = 3

interface Asked {
  readonly question: Hex
  /** Of the lens that answers it. */
  readonly code: Hex
}

/** The node will not do it in this way; another may work. */
class ModeRefusedError extends Error {
  override readonly name = 'ModeRefusedError'
}

/** Runs the lens at a block, in whichever way the chain's node allows. */
export class LensCaller {
  readonly #rpc: Rpc
  readonly #log: Log
  #mode: Mode | undefined
  #probeAt = 0

  constructor(options: { rpc: Rpc; log: Log }) {
    this.#rpc = options.rpc
    this.#log = options.log
  }

  /**
   * The lens's answer at this very block: one HTTP request, more where the node has to be got to know or
   * where it takes only creations and the answer is long.
   *
   * Throws RpcResponseError with the lens's revert data, UnknownBlockError where the block is gone.
   * @param code of the lens
   */
  async call(head: Head, question: Hex, code: Hex = SubscriptionsLens.deployedBytecode): Promise<Hex> {
    let refusal: unknown
    for (const mode of this.#order()) {
      try {
        const answer = await this.#run(mode, head, { question, code })
        assertStamp(answer, head)
        this.#remember(mode)
        return answer
      } catch (error) {
        if (!isRefusal(error)) throw error
        refusal = error
      }
    }
    throw refusal
  }

  #order(): readonly Mode[] {
    const known = this.#mode
    if (known === undefined || performance.now() >= this.#probeAt) return MODES
    return [known, ...MODES.filter((mode) => mode !== known)]
  }

  #remember(mode: Mode): void {
    if (mode !== MODES[0] && mode !== this.#mode) {
      this.#log.warn('the node reads in a slower way', { chainId: this.#rpc.chainId, ...mode })
    }
    if (mode !== this.#mode || performance.now() >= this.#probeAt)
      this.#probeAt = performance.now() + REPROBE_MS
    this.#mode = mode
  }

  async #run(mode: Mode, head: Head, asked: Asked): Promise<Hex> {
    const { question, code } = asked
    return mode.lend
      ? this.#ethCall(mode, head, { to: LENS_ADDRESS, data: question }, [{ [LENS_ADDRESS]: { code } }])
      : this.#inParts(mode, head, asked)
  }

  async #ethCall(
    mode: Mode,
    head: Head,
    call: { to?: Hex; data: Hex },
    overrides: unknown[] = [],
  ): Promise<Hex> {
    if (mode.byHash) {
      return this.#rpc.request('eth_call', [call, { blockHash: head.hash }, ...overrides], NodeBytes)
    }
    // A number can be another block's by now: the header, in the same HTTP request, tells.
    const number = numberToHex(head.number)
    const [answer, header] = await Promise.all([
      this.#rpc.request('eth_call', [call, number, ...overrides], NodeBytes),
      this.#rpc.request('eth_getBlockByNumber', [number, false], BlockHeader.nullable()),
    ])
    if (header?.hash !== head.hash) throw goneBlock()
    return answer
  }

  async #inParts(mode: Mode, head: Head, asked: Asked): Promise<Hex> {
    for (let restart = 0; restart <= MOST_RESTARTS; restart++) {
      const first = await this.#part(mode, head, asked, 0)
      if (first.total > MOST_ANSWER_BYTES) break
      const offsets: number[] = []
      for (let offset = PART_BYTES; offset < first.total; offset += PART_BYTES) offsets.push(offset)
      const others = await Promise.all(offsets.map((offset) => this.#part(mode, head, asked, offset)))
      // Nodes with other gas caps stop lists elsewhere: parts of such answers do not fit together.
      if (others.some(({ hash }) => hash !== first.hash)) continue
      const answer = concatHex([first.bytes, ...others.map(({ bytes }) => bytes)])
      if (keccak256(answer) === first.hash) return answer
    }
    throw new RpcResponseError({ code: -32000, message: 'the parts of an answer do not fit together' })
  }

  async #part(mode: Mode, head: Head, { question, code }: Asked, offset: number) {
    const data = encodeDeployData({
      abi: LensPage.abi,
      bytecode: LensPage.bytecode,
      args: [code, question, BigInt(offset)],
    })
    if (size(data) > MOST_INITCODE_BYTES)
      throw new RangeError(`a question of ${size(question)} bytes is too long`)
    const part = await this.#ethCall(mode, head, { data })
    if (size(part) < 64) throw new ModeRefusedError('the node does not answer creations')
    return {
      total: hexToNumber(slice(part, 0, 32)),
      hash: slice(part, 32, 64),
      bytes: size(part) === 64 ? ('0x' as const) : slice(part, 64),
    }
  }
}

/** Everything that is neither the lens's own revert nor silence. */
function isRefusal(error: unknown): boolean {
  if (error instanceof ModeRefusedError) return true
  return (
    error instanceof RpcResponseError && !(error instanceof UnknownBlockError) && error.data === undefined
  )
}

/** Another block's answer is never served, whatever the node was asked for. */
function assertStamp(answer: Hex, head: Head): void {
  // A node that leaves overrides out finds no code there, and answers nothing.
  if (size(answer) < STAMP_BYTES) throw new ModeRefusedError('the node lends no code')
  const isHead =
    hexToBigInt(slice(answer, 0, 32)) === BigInt(head.number) &&
    hexToBigInt(slice(answer, 32, 64)) === BigInt(head.timestamp) &&
    slice(answer, 64, 96) === head.parentHash
  if (!isHead) throw goneBlock()
}

function goneBlock(): UnknownBlockError {
  return new UnknownBlockError({ code: -32001, message: 'the node answered at another block' })
}
