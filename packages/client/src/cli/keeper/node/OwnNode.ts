import type { Chain, PublicClient, Transport } from 'viem'

/** The keeper's own node, as viem asks it. */
export type OwnNode = PublicClient<Transport, Chain | undefined>
