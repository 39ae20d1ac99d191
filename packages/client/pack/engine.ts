/** What `engine.js` exports: all that `client.js` asks a node by. */
export * from '../src/generated/nodeOperations.ts'
export * from '../src/node/engine.ts'
