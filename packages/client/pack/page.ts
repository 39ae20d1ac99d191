/** What `client.js` exports: the client, what checks proofs, and the parts of viem that make a wallet from a page's `window.ethereum`. */
export { createWalletClient, custom } from 'viem'
export * from '../src/index.ts'
export * from '../src/proofs/index.ts'
