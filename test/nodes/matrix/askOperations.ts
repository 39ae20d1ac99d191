import { operations } from '@remit/service/operations/index'
import type { Operation } from '@remit/service/testing/calls/serviceOperation'
import type { Life } from '../../parity/life.ts'
import { addressOf } from '../../parity/surfaces.ts'
import type { TestAnswer, TestService } from '../../support/service/testService.ts'

/**
 * The operations whose answers come from a node. The others never ask one. A pass is a membership, signed, and
 * what a wallet leaves is kept. */
export const NODE_OPERATIONS: readonly Operation[] = operations.filter(
  ({ onChain, name, audience }) =>
    (onChain && audience !== 'visitors' && audience !== 'wallets') ||
    name === 'get_ready' ||
    name === 'list_chains',
)

/** Asks an operation by REST, with the input that fits, at the chain's newest block. */
export async function askOperation(
  service: TestService,
  life: Life,
  operation: Operation,
): Promise<TestAnswer> {
  const input = life.sample(operation)
  const minBlock = Number(await life.chain.client.getBlockNumber())
  const address = addressOf(operation, input, operation.onChain ? { minBlock } : {})
  if (operation.rest?.method !== 'POST') return service.get(address)
  return service.post(address, input)
}
