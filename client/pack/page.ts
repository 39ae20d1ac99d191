/** What `client.js` exports: the client, and of viem what makes a wallet of a page's own `window.ethereum`. */
export { createWalletClient, custom } from 'viem'
export * from '../src/index.ts'
