import { describe, expect, it } from 'vitest'
import { useLife } from '../../../../test/parity/life.ts'
import { useSurfaces } from '../../../../test/parity/surfaces.ts'
import { useTestService } from '../../../../test/support/service/testService.ts'
import { operations } from '../../index.ts'

const { chain, sample } = await useLife()
const service = await useTestService([chain])
const surfaces = await useSurfaces(service)

/** Reverts whatever it is asked. */
const REFUSING = '0x60006000fd'

// Remit tries itself out before it is proven, and says by name what it finds.
const prepares = operations.filter(({ effect, name }) => effect === 'prepare' && name !== 'prepare_remit')

describe('where nothing but the batch itself is refused, there are no transactions, and readiness says the same', () => {
  it.each(prepares.map((operation) => [operation.name, operation] as const))('%s', async (_, operation) => {
    await service.caughtUp()
    const input = sample(operation)
    // Its state is read, and kept for this block.
    expect(await surfaces.rest(operation, input)).toMatchObject({ status: 200 })
    for (const address of [chain.contract, chain.tokens.usdc]) {
      await chain.client.setCode({ address, bytecode: REFUSING })
    }
    const rest = await surfaces.rest(operation, input)
    const tool = await surfaces.tool(operation, input)
    expect(rest).toMatchObject({
      status: 422,
      body: { code: 'SIMULATION_FAILED', reason: { name: 'EMPTY_REVERT', callIndex: 0 } },
    })
    expect(rest.body).not.toHaveProperty('unsignedTransactions')
    expect(tool).toMatchObject({ failed: true, body: rest.body })
    const { error: message, reason } = rest.body
    const readiness = await surfaces.rest(operation, { ...input, readinessOnly: true })
    const issues = [{ code: 'SIMULATION_FAILED', message, reason }]
    const said = { ready: false, unproven: false, issues, instructions: [message] }
    expect(readiness).toMatchObject({ status: 200, body: said })
  })
})
