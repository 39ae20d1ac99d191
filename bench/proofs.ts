import { ISubscriptionsEvents } from '@remit/contracts/ISubscriptionsEvents'
import type { ChainView, SealedBlock } from '@remit/engine/ports/chains'
import type { IndexedPayment } from '@remit/engine/ports/history'
import { encodeReceipt } from '@remit/engine/testing/inclusion/proofParts'
import { verifyPaymentProof } from '@remit/protocol/inclusion/paymentProof'
import { provePayment, trieOf } from '@remit/service/testing/inclusion/prove'
import {
  bytesToHex,
  encodeAbiParameters,
  encodeEventTopics,
  erc20Abi,
  type Hex,
  keccak256,
  padHex,
  toHex,
  toRlp,
} from 'viem'

// What the proof of a payment weighs, and how long it takes to make and to check, by the receipts of its block.

const RECEIPTS = [1, 10, 50, 200, 500]
const ROUNDS = 15

const address = (digit: string): Hex => `0x${digit.repeat(40)}`
const [contract, token, provider, subscriber] = ['1', '2', '3', '4'].map(address) as [Hex, Hex, Hex, Hex]
const id: Hex = `0x${'ab'.repeat(32)}`
const TIMESTAMP = 1_800_000_000
const AMOUNT = 12_500_000n

/** A period’s logs, as remit writes them. */
function paymentLogs() {
  const subLog = (subScriptEvent: number) => ({
    address: contract,
    topics: encodeEventTopics({
      abi: ISubscriptionsEvents.abi,
      eventName: 'SubLog',
      args: { id, provider, subscriber },
    }) as Hex[],
    data: encodeAbiParameters(
      [{ type: 'uint40' }, { type: 'uint256' }, { type: 'address' }, { type: 'uint8' }],
      [TIMESTAMP, AMOUNT * 10n ** 12n, token, subScriptEvent],
    ),
  })
  const moved = {
    address: token,
    topics: encodeEventTopics({
      abi: erc20Abi,
      eventName: 'Transfer',
      args: { from: subscriber, to: provider },
    }) as Hex[],
    data: encodeAbiParameters([{ type: 'uint256' }], [AMOUNT]),
  }
  return [subLog(5), subLog(2), moved].map((log, logIndex) => ({ ...log, logIndex }))
}

async function blockOf(count: number): Promise<SealedBlock> {
  const encoded = encodeReceipt({
    type: 2,
    status: '0x01',
    cumulativeGasUsed: '0x0f4240',
    logsBloom: `0x${'00'.repeat(256)}`,
    logs: paymentLogs(),
  })
  const receipts = Array.from({ length: count }, (_, index) => ({
    transactionHash: padHex(toHex(index + 1), { size: 32 }),
    encoded,
    firstLogIndex: 0,
  }))
  const receiptsRoot = bytesToHex((await trieOf(receipts)).root())
  const word: Hex = `0x${'00'.repeat(32)}`
  const header = toRlp([
    ...[word, word, address('0'), word, word, receiptsRoot],
    `0x${'00'.repeat(256)}`,
    ...['0x', '0x01', '0x01', '0x01', toHex(TIMESTAMP), '0x', word, '0x0000000000000000'],
  ] as Hex[])
  return { hash: keccak256(header), header, receiptsRoot, receipts }
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0
}

function timed<T>(work: () => T | Promise<T>): Promise<{ ms: number; made: T }> {
  const begun = performance.now()
  return Promise.resolve(work()).then((made) => ({ ms: performance.now() - begun, made }))
}
process.stdout.write(
  '| receipts in the block | bytes of the proof | ms to make | ms to check |\n| --- | --- | --- | --- |\n',
)
for (const count of RECEIPTS) {
  const block = await blockOf(count)
  const payment = {
    kind: 'period',
    subscriptionId: id,
    provider,
    subscriber,
    token,
    dayNumber: Math.floor(TIMESTAMP / 86_400),
    toProvider: AMOUNT,
    toFeeBalance: 0n,
    toSubscriber: 0n,
    callerFee: 0n,
    systemShare: 0n,
    transactionHash: padHex(toHex(Math.ceil(count / 2)), { size: 32 }),
    logIndex: 0,
    blockNumber: 1,
    // Nothing is kept from one round to the next.
    finalized: false,
  } as unknown as IndexedPayment
  const chain = {
    chainId: 1,
    contractAddress: contract,
    sealedBlock: async () => block,
  } as unknown as ChainView
  const [makes, checks]: [number[], number[]] = [[], []]
  let bytes = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    const { ms, made: proof } = await timed(() => provePayment(chain, payment))
    const checked = await timed(() => verifyPaymentProof(proof, { blockHash: block.hash, contract }))
    makes.push(ms)
    checks.push(checked.ms)
    bytes = JSON.stringify(proof).length
  }
  process.stdout.write(
    `| ${count} | ${bytes} | ${median(makes).toFixed(1)} | ${median(checks).toFixed(1)} |\n`,
  )
}
