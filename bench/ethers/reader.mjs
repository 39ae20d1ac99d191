import { Contract, JsonRpcProvider, Result } from 'ethers'

/** As bench/others.ts wants it: ethers as it is delivered, which waits 10 ms for what may share a request. */
export function ethersReader({ url, chainId, contract, abi, tokenAbi }) {
  const provider = new JsonRpcProvider(url, chainId, { staticNetwork: true, cacheTimeout: -1 })
  const protocol = new Contract(contract, abi, provider)
  return {
    view: async (name, args) => listed(await protocol.getFunction(name).staticCall(...args)),
    tokenView: (token, name, args) =>
      new Contract(token, tokenAbi, provider).getFunction(name).staticCall(...args),
    request: (method, params) => provider.send(method, params),
    close: () => provider.destroy(),
  }
}

/** Several values and lists are arrays, and what is in a list has names, as viem has it. */
function listed(value) {
  return value instanceof Result ? value.toArray().map(named) : value
}

function named(value) {
  if (!(value instanceof Result)) return value
  return Object.fromEntries(Object.entries(value.toObject()).map(([name, field]) => [name, named(field)]))
}
