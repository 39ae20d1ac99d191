import type { Address, Hex } from 'viem'

/** A contract whose isValidSignature answers this, whatever it is asked. */
const saying = (word: Hex): Hex => `0x63${word.slice(2)}60e01b60005260206000f3`

/** The code of a wallet that confirms every signature: ERC-1271's magic value. */
export const YES = saying('0x1626ba7e')
/** The code of one that confirms none. */
export const NO = saying('0x00000000')

/** No signature of any key. */
export const SIGNATURE: Hex = `0x${'12'.repeat(80)}`

/**
 * The code of one that confirms a signature of no bytes and no other: so does a Safe what its owners have approved on the chain.
 * Where the length, which is the third word behind the selector, is not 0, it reverts.
 */
export const YES_TO_NONE: Hex = `0x604435601657${YES.slice(2)}5b60006000fd`

/** A wallet for `Browser.signIn` whose contract has to confirm what it signs. */
export const asWallet = (address: Address, signature: Hex = SIGNATURE) => ({
  address,
  signMessage: async () => signature,
})
