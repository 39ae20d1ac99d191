import { simulationAnswer, simulationRequest } from '@remit/engine/block/simulateV1'
import { gasCapOf } from '@remit/engine/chain/registry'
import { gasLimitIn } from '@remit/engine/rpc/limits/limitIn'
import { NodeBytes } from '@remit/engine/rpc/quantity'
import { RpcResponseError } from '@remit/engine/rpc/refusal'
import { PROBED_CALLS, REMIT_GAS } from '@remit/engine/simulation/simulationBudget'
import { numberToHex } from 'viem'
import { type Check, count, type ExaminedNode, type Finding, reasonOf, unanswered } from '../Finding.ts'
import { EMPTY } from './reading.ts'

/** Returns the gas that it was given: nodes lower it to their cap without a word. */
const GAS_LEFT = '0x5a60005260206000f3'
/** A read of a long list takes less. */
const ENOUGH_CALL_GAS = 25_000_000
/** Tried one after the other, until the node takes one. */
const SIMULATION_GAS = [50_000_000, 30_000_000, 25_000_000, 16_777_216]

const callGas: Check = async ({ node }) => {
  const asked = 200_000_000
  const given = async (gas: number) => {
    const call = { to: EMPTY, data: '0x', gas: numberToHex(gas) }
    const left = await node.request('eth_call', [call, 'latest', { [EMPTY]: { code: GAS_LEFT } }], NodeBytes)
    if (left === '0x') throw new RpcResponseError({ code: 0, message: 'no state overrides' })
    // The call itself costs 21,000 before its code begins, and the instruction that reads the rest costs 2.
    return Math.min(gas, Number(BigInt(left)) + 21_002)
  }
  try {
    return callGasFinding(await given(asked), asked)
  } catch (error) {
    const granted = error instanceof RpcResponseError ? gasLimitIn(error) : undefined
    if (granted) return callGasFinding(granted, asked)
    for (const gas of [50_000_000, ENOUGH_CALL_GAS, 10_000_000]) {
      const got = await given(gas).catch(() => undefined)
      if (got !== undefined) return callGasFinding(got, asked)
    }
    return { check: 'callGas', state: 'note', fact: `not found out (${reasonOf(error)})` }
  }
}

function callGasFinding(gas: number, asked: number): Finding {
  const state = gas >= ENOUGH_CALL_GAS ? 'good' : 'poorer'
  return { check: 'callGas', state, fact: gas >= asked ? `${count(asked)} or more` : count(gas), value: gas }
}

const simulateV1: Check = async (examined) => {
  try {
    const [call] = await simulate(examined, 1, 1_000_000n)
    if (call !== true) {
      return {
        check: 'simulateV1',
        state: 'poorer',
        fact: 'takes simulations and does not run lent code in them',
      }
    }
  } catch (error) {
    return unanswered('simulateV1', 'poorer', error)
  }
  return [{ check: 'simulateV1', state: 'good', fact: 'yes' }, await simulationGas(examined)]
}

/** A forecast of remit asks for eight transactions at once. */
async function simulationGas(examined: ExaminedNode): Promise<Finding> {
  const one = gasCapOf(examined.entry) ?? REMIT_GAS
  const wanted = Number(one) * PROBED_CALLS
  for (const gas of [wanted, ...SIMULATION_GAS]) {
    const calls = Math.max(1, Math.floor(gas / Number(one)))
    try {
      await simulate(examined, calls, BigInt(Math.floor(gas / calls)))
      const state = gas >= wanted ? 'good' : 'poorer'
      const fact =
        gas >= wanted ? count(gas) : `${count(gas)} of ${count(wanted)} that a long forecast asks for`
      return { check: 'simulationGas', state, fact, value: gas }
    } catch (error) {
      // A node that does not answer any more would not answer less either.
      if (!(error instanceof RpcResponseError)) return unanswered('simulationGas', 'poorer', error)
    }
  }
  const fact = `less than ${count(SIMULATION_GAS.at(-1) ?? 0)}, the most gas of one transaction`
  return { check: 'simulationGas', state: 'poorer', fact }
}

/** Whether each call ran the code that was laid over its address, at the time that the block was given. */
async function simulate({ node, head }: ExaminedNode, count: number, gas: bigint): Promise<boolean[]> {
  const time = head.timestamp + 60
  const calls = Array.from({ length: count }, () => ({ from: EMPTY, to: EMPTY, data: '0x', gas }) as const)
  const request = simulationRequest(calls, { number: numberToHex(head.number + 1), time: numberToHex(time) })
  const blockStateCalls = request.blockStateCalls.map((block) => ({
    ...block,
    // Returns the block’s time.
    stateOverrides: { [EMPTY]: { code: '0x4260005260206000f3' } },
  }))
  const params = [{ ...request, blockStateCalls }, numberToHex(head.number)]
  const answers = await node.request('eth_simulateV1', params, simulationAnswer(calls))
  return answers.calls.map(({ returnData }) => returnData !== '0x' && BigInt(returnData) === BigInt(time))
}

export const SIMULATING: readonly Check[] = [callGas, simulateV1]
