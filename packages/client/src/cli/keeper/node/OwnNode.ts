import type { Chain, PublicClient, Transport } from 'viem'

/** The keeper's own node. */
export type OwnNode = PublicClient<Transport, Chain | undefined>
