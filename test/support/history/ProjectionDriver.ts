import type { BlockRef } from '@remit/engine/ports/history'
import type { Lease, ProjectionReader, ProjectionWriter } from '@remit/service/testing/history/projection'
import { type SyntheticChain, syntheticFacts } from './SyntheticChain.ts'

const LEASE_MS = 60_000

/** Writes a synthetic chain into a projection, as a source and an engine would. */
export class ProjectionDriver {
  readonly chain: SyntheticChain
  readonly chainId: number
  readonly #projection: ProjectionWriter & ProjectionReader
  #lease: Lease | undefined

  constructor(projection: ProjectionWriter & ProjectionReader, chain: SyntheticChain, chainId: number) {
    this.#projection = projection
    this.chain = chain
    this.chainId = chainId
  }

  /**
   * One step of at most `most` blocks, over what a fork took away where there was one.
   * @param tellsApprovals false as of a subgraph; default true
   */
  async step(most = Number.MAX_SAFE_INTEGER, finalityDepth = 3, tellsApprovals = true): Promise<void> {
    const { chain, chainId } = this
    const lease = await this.lease()
    const tip = await this.#projection.tip(chainId)
    const below = await tip.rememberedBlocks(tip.block.number, Number.MAX_SAFE_INTEGER)
    const ancestor = below.find((block) => chain.has(block))
    if (ancestor === undefined) throw new Error('no remembered block is in the chain')
    const to = Math.min(chain.head.number, ancestor.number + most)
    const step = chain.step(ancestor, to, Math.max(chain.origin.number, chain.head.number - finalityDepth))
    const created = step.events.flatMap(({ event }) =>
      event.type === 'SubLog' && event.eventName === 'Created' ? [event.token] : [],
    )
    const tokens = [...tip.approvalsOf, ...created]
    const approvals = { tokens, rows: chain.approvals(ancestor.number, to, tokens) }
    const facts = { ...syntheticFacts(step), ...(tellsApprovals ? { approvals } : {}) }
    await this.#projection.apply(lease, tip.block, step, facts, LEASE_MS)
  }

  /** Steps until the projection stands at the chain's head. */
  async catchUp(most?: number): Promise<void> {
    await this.lease()
    while ((await this.tip()).hash !== this.chain.head.hash) await this.step(most)
  }

  async tip(): Promise<BlockRef> {
    return (await this.#projection.tip(this.chainId)).block
  }

  async lease(): Promise<Lease> {
    this.#lease ??= await this.#take()
    return this.#lease
  }

  async #take(): Promise<Lease> {
    const { genesisHash, contract, firstBlock, origin } = this.chain
    const identity = { chainId: this.chainId, genesisHash, contract, firstBlock }
    const lease = await this.#projection.take(identity, 'rpc', async () => origin, 'driver', LEASE_MS)
    if (lease === undefined) throw new Error('somebody else holds the lease')
    return lease
  }
}
