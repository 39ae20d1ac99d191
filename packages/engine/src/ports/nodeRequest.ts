/** Asks a node that is no URL, as EIP-1193 has it: a wallet's provider, or a client of viem. It throws what the node refuses. */
export type NodeRequest = (request: {
  readonly method: string
  readonly params: readonly unknown[]
}) => Promise<unknown>
