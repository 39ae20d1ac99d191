import { pbkdf2Sync } from 'node:crypto'
import { TEST_MNEMONIC } from '@remit/devchain/testing/chain/anvil'
import { type HDAccount, HDKey, hdKeyToAccount } from 'viem/accounts'

/** By BIP-39. viem would make the seed again for each account, and takes a tenth of a second for it. */
const SEED = pbkdf2Sync(TEST_MNEMONIC, 'mnemonic', 2048, 64, 'sha512')

const signers = new Map<number, HDAccount>()

/** The key behind one of the chain's wallets, for tests that sign by themselves. 0 is the admin. */
export function signerOf(index: number): HDAccount {
  const signer = signers.get(index) ?? hdKeyToAccount(HDKey.fromMasterSeed(SEED), { addressIndex: index })
  signers.set(index, signer)
  return signer
}
