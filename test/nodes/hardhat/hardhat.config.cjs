const { join } = require('node:path')

const { FOLDER, TIMESTAMP, CHAIN_ID, MNEMONIC } = process.env

/** One node whose first block has this time. It compiles nothing. */
module.exports = {
  paths: { root: __dirname, cache: join(FOLDER, 'cache'), artifacts: join(FOLDER, 'artifacts') },
  networks: {
    hardhat: {
      chainId: Number(CHAIN_ID),
      initialDate: new Date(TIMESTAMP * 1_000).toISOString(),
      blockGasLimit: 60_000_000,
      accounts: { mnemonic: MNEMONIC, count: 12 },
      // Like other nodes, it answers with the hash of a transaction that reverts.
      throwOnTransactionFailures: false,
      mining: { mempool: { order: 'fifo' } },
    },
  },
}
