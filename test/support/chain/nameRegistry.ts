import {
  type Address,
  concatHex,
  encodeAbiParameters,
  type Hex,
  numberToHex,
  pad,
  size,
  toFunctionSelector,
} from 'viem'
import { namehash } from 'viem/ens'

/** What a contract answers to one function of a node; everything else reverts. */
interface NodeAnswer {
  readonly signature: `${string}(bytes32)`
  readonly node: Hex
  readonly returned: Hex
}

/** The code of a registry of names, and of a resolver, that know one name and its address. */
export function nameRegistryOf(
  { name, of, leadsTo }: { readonly name: string; readonly of: Address; readonly leadsTo: Address },
  { chainId, resolver }: { readonly chainId: number; readonly resolver: Address },
): { readonly registry: Hex; readonly resolver: Hex } {
  const zone = `${(0x8000_0000 + chainId).toString(16)}.reverse`
  const reverse = namehash(`${of.slice(2).toLowerCase()}.${zone}`)
  const forward = namehash(name)
  const found = (node: Hex): NodeAnswer => ({
    signature: 'resolver(bytes32)',
    node,
    returned: encodeAbiParameters([{ type: 'address' }], [resolver]),
  })
  return {
    registry: answering([found(reverse), found(forward)]),
    resolver: answering([
      {
        signature: 'name(bytes32)',
        node: reverse,
        returned: encodeAbiParameters([{ type: 'string' }], [name]),
      },
      {
        signature: 'addr(bytes32)',
        node: forward,
        returned: encodeAbiParameters([{ type: 'address' }], [leadsTo]),
      },
    ]),
  }
}

/** Code that compares the selector and the node with each of these, and returns what is right for it. */
function answering(answers: readonly NodeAnswer[]): Hex {
  // selector == sel && node == word → jump; of a fixed length, so that the places to jump to are known.
  const test = ({ signature, node }: NodeAnswer, to: number): Hex =>
    concatHex([
      '0x60003560e01c63',
      toFunctionSelector(signature),
      '0x14',
      '0x6004357f',
      node,
      '0x14',
      '0x16',
      '0x61',
      word2(to),
      '0x57',
    ])
  const give = ({ returned }: NodeAnswer): Hex => {
    const words = Array.from(
      { length: size(returned) / 32 },
      (_, n): Hex => `0x${returned.slice(2 + n * 64, 66 + n * 64)}`,
    )
    const stores = words.map((word, n): Hex => concatHex(['0x7f', word, '0x61', word2(n * 32), '0x52']))
    return concatHex(['0x5b', ...stores, '0x61', word2(size(returned)), '0x6000f3'])
  }
  const gives = answers.map(give)
  const testsLength = answers.reduce((sum, answer) => sum + size(test(answer, 0)), 0)
  let to = testsLength + size('0x60006000fd')
  const tests = answers.map((answer, n) => {
    const code = test(answer, to)
    to += size(gives[n] ?? '0x')
    return code
  })
  return concatHex([...tests, '0x60006000fd', ...gives])
}

function word2(value: number): Hex {
  return pad(numberToHex(value), { size: 2 })
}
