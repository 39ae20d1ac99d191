import type { Address, Hex } from 'viem'
import * as z from 'zod'
import { type BlockReader, getResult } from '../block/BlockReader.ts'
import type { BlockView } from '../block/BlockView.ts'
import { ProofUnavailableError } from '../errors/inclusion.ts'
import type { SealedState } from '../ports/chains.ts'
import { NodeAddress, NodeBytes, Quantity } from '../rpc/quantity.ts'
import { refusalIn } from '../rpc/refusal.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { encodeHeader, WholeHeader } from './wholeHeader.ts'

/** What eth_getProof answers (EIP-1186). */
const StateProof = z.object({
  address: NodeAddress,
  accountProof: z.array(NodeBytes),
  storageProof: z.array(z.object({ key: Quantity, value: Quantity, proof: z.array(NodeBytes) })),
})

/**
 * What a contract keeps in these slots at the view's block, with the way there from the block's own hash. Nothing of it is
 * checked but the header. Takes one HTTP request.
 *
 * @throws ProofUnsupportedError where the header has fields that are not known here
 * @throws ProofUnavailableError where the node gives no proofs, or keeps the state of that block no more
 */
export async function readSealedState(
  { rpc, blocks, contract }: { readonly rpc: Rpc; readonly blocks: BlockReader; readonly contract: Address },
  view: BlockView,
  slots: readonly Hex[],
): Promise<SealedState> {
  const { chainId, asOf } = view
  const [header, proof] = await Promise.all([
    rpc.request('eth_getBlockByHash', [asOf.blockHash, false], WholeHeader, view),
    blocks
      .request(view, 'eth_getProof', [contract, slots], StateProof)
      .then(getResult)
      .catch((cause: unknown) => {
        if (refusalIn(cause)?.kind !== 'refused') throw cause
        throw new ProofUnavailableError(chainId, `proofs of its state at block ${asOf.blockNumber}`, {
          cause,
        })
      }),
  ])
  const inOrder = slots.map((slot) => proof.storageProof.find(({ key }) => key === BigInt(slot)))
  return {
    hash: asOf.blockHash,
    header: encodeHeader(chainId, header),
    account: proof.accountProof,
    slots: inOrder.map((found) => found?.proof ?? []),
  }
}
