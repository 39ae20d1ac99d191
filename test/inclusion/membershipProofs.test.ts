import { createClient, type MembershipProof } from '@remit/client'
import { encodeHeader, WholeHeader } from '@remit/engine/testing/inclusion/proofParts'
import { membershipSlots, verifyMembershipProof } from '@remit/protocol/inclusion/membershipProof'
import { ProofRefusedError } from '@remit/protocol/inclusion/ProofRefusedError'
import { type Address, concatHex, type Hex, keccak256, numberToHex, padHex } from 'viem'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { randomOf } from '../differential/random.ts'
import { beginBusyLife } from '../support/chain/busyLife.ts'
import { protocolOn, tupleOf } from '../support/chain/protocolOn.ts'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { trials } from '../support/runner/trials.ts'
import { indexed } from '../support/service/indexed.ts'
import { useTestService } from '../support/service/testService.ts'
import { flipped } from './alteredProof.ts'

const MUTATIONS = trials({ short: 300, nightly: 3_000 })

const chain = await useTestChain()
const { contract } = chain
const protocol = protocolOn(chain)
const life = await beginBusyLife(chain, randomOf(5))
for (let blocks = 0; blocks < 20; blocks += 1) await life.mine(6)
const service = await useTestService([chain])
await indexed(service, chain)
const client = createClient({ url: service.url })

const known = ({ blockHash }: MembershipProof) => ({ blockHash, contract, layout: 'reference' as const })

/** Undefined where the account never subscribed. */
async function proofOf(id: Hex, address: Address): Promise<MembershipProof | undefined> {
  const answer = await client.getMembership({ id, address, proof: true }).catch(() => undefined)
  return answer?.proof
}

async function allProofs(): Promise<readonly MembershipProof[]> {
  const pairs = life.ids.flatMap((id) => life.people.map((person) => [id, person] as const))
  const proofs = await Promise.all(pairs.map(([id, person]) => proofOf(id, person)))
  return proofs.filter((proof) => proof !== undefined)
}

describe('the proof of a membership', async () => {
  const proofs = await allProofs()

  it('shows who is a member and who is one no more, as the contract’s own list has it', async () => {
    for (const proof of proofs) {
      const { membership } = verifyMembershipProof(JSON.parse(JSON.stringify(proof)), known(proof))
      const members = await protocol.subscribersOf(tupleOf(membership.subscriptionId))
      const isOnList = members.includes(membership.subscriber) && !membership.cancelled
      expect(membership.isMember).toBe(isOnList)
    }
    const told = proofs.map(({ membership }) => `${membership.isMember} ${membership.cancelled}`)
    expect(new Set(told)).toEqual(new Set(['true false', 'false false', 'false true']))
  })

  it('is refused with any part of it altered', () => {
    const choose = randomOf(9)
    for (let mutation = 0; mutation < MUTATIONS; mutation += 1) {
      const proof = choose.pick(proofs)
      const copy = JSON.parse(JSON.stringify(proof))
      const ways: string[][] = [copy.account, ...copy.slots]
      const nodes = choose.pick(ways.filter((way) => way.length > 0))
      switch (choose.weighted({ node: 4, header: 2, missing: 1, words: 3, swapped: 1 })) {
        case 'node': {
          const place = choose.below(nodes.length)
          nodes[place] = flipped(nodes[place] ?? '', choose)
          break
        }
        case 'header':
          copy.header = flipped(copy.header, choose)
          break
        case 'missing':
          nodes.splice(choose.below(nodes.length), 1)
          break
        case 'words':
          copy.membership = { ...copy.membership, ...otherWord(copy.membership, choose.pick(WORDS)) }
          break
        case 'swapped':
          // What it says of having left is put in the place of what it says of being there.
          copy.slots = copy.slots.toReversed()
      }
      expect(() => verifyMembershipProof(copy, known(proof)), JSON.stringify(copy)).toThrow(ProofRefusedError)
    }
  })

  it('shows it by the slots of the live contract too', async () => {
    // A contract that keeps what the live one would keep of one member, who has not left.
    const elsewhere: Address = '0x00000000000000000000000000000000000c10c4'
    const [id] = life.ids
    const [member] = life.people
    if (id === undefined || member === undefined) throw new Error('nobody lives here')
    const mapping = (key: Hex, slot: bigint) => keccak256(concatHex([key, pad(slot)]))
    const record = BigInt(mapping(id, 22n))
    const kept: readonly (readonly [slot: Hex, value: Hex])[] = [
      [mapping(padHex(member), BigInt(mapping(id, 21n)) + 1n), pad(3n)],
      [pad(record), id],
      [pad(record + 1n), pad(5n)],
      [pad(record + 2n), padHex(contract)],
      // Due day 9, weekly, not cancelled, the token.
      [pad(record + 3n), padHex(`0x00090000${chain.tokens.usdc.slice(2)}`)],
    ]
    await chain.client.setCode({ address: elsewhere, bytecode: '0x00' })
    for (const [index, value] of kept) await chain.client.setStorageAt({ address: elsewhere, index, value })
    await chain.client.mine({ blocks: 1 })
    const { hash, number } = await chain.client.getBlock()
    const state = await chain.client.getProof({
      address: elsewhere,
      storageKeys: [...membershipSlots('live', id, member)],
      blockNumber: number,
    })
    const { header } = await headerOf(hash)
    const shown = verifyMembershipProof(
      {
        type: 'remit-membership-1',
        chainId: chain.chainId,
        contract: elsewhere,
        blockHash: hash,
        header,
        account: state.accountProof,
        slots: state.storageProof.map(({ proof }) => proof),
        membership: {
          subscriptionId: id,
          subscriber: member,
          isMember: true,
          provider: contract,
          token: chain.tokens.usdc,
          amount: '5',
          frequency: 0,
          dueDay: 9,
          cancelled: false,
        },
      },
      { blockHash: hash, contract: elsewhere, layout: 'live' },
    )
    expect(shown.membership.isMember).toBe(true)
  })

  it('is refused by the layout of another contract', () => {
    for (const proof of proofs)
      expect(() => verifyMembershipProof(proof, { ...known(proof), layout: 'live' })).toThrow(
        ProofRefusedError,
      )
  })
})

const pad = (value: bigint) => numberToHex(value, { size: 32 })

/** Of any block: the service knows how headers are encoded. */
async function headerOf(hash: Hex) {
  const call = { jsonrpc: '2.0', id: 1, method: 'eth_getBlockByHash', params: [hash, false] }
  const headers = { 'Content-Type': 'application/json' }
  const answer = await fetch(chain.url, { method: 'POST', headers, body: JSON.stringify(call) })
  const { result } = z.object({ result: WholeHeader }).parse(await answer.json())
  return { header: encodeHeader(chain.chainId, result) }
}

const WORDS = ['isMember', 'cancelled', 'dueDay', 'amount', 'subscriber', 'token'] as const

function otherWord(membership: MembershipProof['membership'], name: (typeof WORDS)[number]) {
  const value = membership[name]
  if (typeof value === 'boolean') return { [name]: !value }
  if (typeof value === 'number') return { [name]: value + 1 }
  return { [name]: value === contract ? `0x${'11'.repeat(20)}` : name === 'amount' ? `${value}0` : contract }
}
