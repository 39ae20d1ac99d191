/**
 * What may be asked of the development chain from outside. None of these takes a URL or a file, runs a script, or puts
 * another chain in the place of this one. docs/start.md lists them.
 */
export const ALLOWED_METHODS: ReadonlySet<string> = new Set([
  ...named('web3', 'clientVersion sha3'),
  ...named('net', 'version listening'),
  // Reads: blocks, transactions, state, calls, logs.
  ...named(
    'eth',
    'accounts blobBaseFee blockNumber call chainId coinbase createAccessList estimateGas feeHistory fillTransaction ' +
      'gasPrice getAccount getAccountInfo getBalance getBlockByHash getBlockByNumber getBlockReceipts ' +
      'getBlockTransactionCountByHash getBlockTransactionCountByNumber getCode getLogs getProof ' +
      'getRawTransactionByBlockHashAndIndex getRawTransactionByBlockNumberAndIndex getRawTransactionByHash getStorageAt ' +
      'getTransactionByBlockHashAndIndex getTransactionByBlockNumberAndIndex getTransactionByHash ' +
      'getTransactionBySenderAndNonce getTransactionCount getTransactionReceipt getUncleByBlockHashAndIndex ' +
      'getUncleByBlockNumberAndIndex getUncleCountByBlockHash getUncleCountByBlockNumber maxPriorityFeePerGas ' +
      'networkId protocolVersion simulateV1 syncing',
  ),
  ...named('txpool', 'content contentFrom inspect status'),
  // Subscriptions to news.
  ...named(
    'eth',
    'getFilterChanges getFilterLogs newBlockFilter newFilter newPendingTransactionFilter subscribe uninstallFilter unsubscribe',
  ),
  // Signing and sending.
  ...named(
    'eth',
    'sendRawTransaction sendRawTransactionSync sendTransaction sendTransactionSync sendUnsignedTransaction sign ' +
      'signTransaction signTypedData signTypedData_v3 signTypedData_v4',
  ),
  'personal_sign',
  // The chain's clock, its blocks and its accounts, as scripts and tests move them.
  ...named(
    'evm',
    'increaseTime mine mine_detailed revert setAccountNonce setAutomine setBlockGasLimit setIntervalMining ' +
      'setNextBlockTimestamp setTime snapshot',
  ),
  ...named(
    'anvil',
    'addBalance autoImpersonateAccount dealERC20 dropAllTransactions dropTransaction getAutomine getIntervalMining ' +
      'impersonateAccount increaseTime metadata mine mine_detailed nodeInfo removeBlockTimestampInterval ' +
      'removePoolTransactions reorg revert rollback setAutomine setBalance setBlockGasLimit setBlockTimestampInterval ' +
      'setCode setCoinbase setERC20Allowance setIntervalMining setMinGasPrice setNextBlockBaseFeePerGas ' +
      'setNextBlockTimestamp setNonce setStorageAt setTime snapshot stopImpersonatingAccount',
  ),
  ...named(
    'hardhat',
    'dropTransaction getAutomine impersonateAccount metadata mine setBalance setCode setCoinbase setMinGasPrice ' +
      'setNextBlockBaseFeePerGas setNonce setStorageAt stopImpersonatingAccount',
  ),
])

function named(family: string, names: string): string[] {
  return names.split(' ').map((name) => `${family}_${name}`)
}
