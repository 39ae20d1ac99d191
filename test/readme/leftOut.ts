/** Commands that are run elsewhere, or by this test once for all documents. The pattern has to match a whole command. */
export const RUN_ELSEWHERE: readonly { readonly command: RegExp; readonly why: string }[] = [
  { command: /^npm (ci|install\b.*)$/, why: 'installing: CI does it before any test' },
  { command: /^npm (test|run check)$/, why: 'the tests are what runs this' },
  {
    command: /^([A-Z_]+=\S+ )*npm start$/,
    why: 'the service that this test has started, with the same variables',
  },
  {
    command: /^npx tsx examples\/agent\/errand\.ts .*$/,
    why: 'it makes days pass for a wallet that subscribes to nothing: test/examples/errand.test.ts runs it',
  },
  { command: /^cd \S+$/, why: 'another folder, of which the commands are run where they are' },
]

/** Commands that cannot be run here, or parts of blocks that cannot. Each says why; the list stays short. */
export const NOT_RUN: readonly { readonly command: RegExp; readonly why: string }[] = [
  { command: /^RPC_URL_8453=\S+ npm run serve$/, why: 'it needs a node of a real chain' },
  {
    command: /^(\$ )?remit keeper /,
    why: 'it needs ether and days that are due; the keeper has tests of its own',
  },
  {
    command: /^npm run devchain$/,
    why: 'it goes on until it is stopped, with a bundler: test/examples/paymaster.test.ts runs it',
  },
  { command: /^umask 077$|^openssl rand /, why: 'it makes the key of such a keeper' },
]

/** Whole blocks that cannot be run here. */
export const BLOCKS_NOT_RUN: readonly { readonly block: RegExp; readonly why: string }[] = [
  { block: /^ *cast send /m, why: 'it needs a program that is not ours, and a wallet of hardware' },
]

/** Documents whose commands are for other machines than the one that reads them. They are held against types only. */
export const NOT_FOLLOWED: readonly { readonly file: string; readonly why: string }[] = [
  {
    file: 'docs/run.md',
    why: 'it installs units and containers and moves databases; what it says of images and backups has its own tests',
  },
]

/** Documents of @remit/react: their blocks are components, which only a page runs. */
export const TESTED_ELSEWHERE: readonly { readonly file: string; readonly why: string }[] = [
  { file: 'docs/react.md', why: 'test/react/package.test.ts compiles each of its blocks' },
  { file: 'examples/react/README.md', why: 'test/examples/react.test.ts runs the page' },
]

/** What a document may not do to the machine of whoever reads it, even by mistake. */
export const FORBIDDEN = /\b(sudo|systemctl|docker|rm -rf)\b|(^|\s)\/(etc|opt|usr|var|root|home)\//m

/** Programs that go on until they are stopped, and what they print once they are up. */
export const SERVERS: readonly { readonly command: RegExp; readonly up: RegExp }[] = [
  { command: /^([A-Z_]+=\S+ )*npx tsx examples\/browser\/serve\.ts\b.*$/, up: /The page is at (http:\S+)/ },
]

/**
 * What stands in documents for something of the reader's own.
 *
 * Ids need no place here: one that a document shows in an answer is the id that the answer really had.
 */
export const PLACEHOLDERS: readonly { readonly written: RegExp; readonly is: Placeholder }[] = [
  { written: /https:\/\/remit\.example(?![\w/-])/g, is: 'url' },
  { written: /https:\/\/rpc\.example(?![\w/-])/g, is: 'rpcUrl' },
  { written: /(localhost|127\.0\.0\.1):3000/g, is: 'host' },
  { written: /(localhost|127\.0\.0\.1):8545/g, is: 'rpcHost' },
  { written: /<wallet>/g, is: 'wallet' },
  { written: /<subscription>/g, is: 'subscription' },
  { written: /(?<=minBlock=)\d+/g, is: 'blockNumber' },
]

export type Placeholder = 'url' | 'rpcUrl' | 'host' | 'rpcHost' | 'wallet' | 'subscription' | 'blockNumber'
