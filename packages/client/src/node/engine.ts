/** What the client takes from the engine. This file is loaded with the first answer from a node, and packed as one chunk. */
export { BUILT_IN_CHAINS, ChainEntry } from '@remit/engine/chain/registry'
export { openChain } from '@remit/engine/direct/openDirect'
export { openReader } from '@remit/engine/direct/readNode'
export { ValidationError } from '@remit/engine/errors/input'
export { toRemitError, toWire } from '@remit/engine/errors/toWire'
