import type { Options } from './invocation/Command.ts'

/**
 * The options of every command. Secrets come from the environment or a file: an option would stay in the shell's
 * history.
 */
export const GLOBAL_OPTIONS: Options = {
  url: {
    type: 'string',
    value: '<url>',
    help: 'the service; else REMIT_URL, else http://127.0.0.1:3000',
  },
  chain: {
    type: 'string',
    value: '<id>',
    help: 'chain id, such as 8453 or eip155:8453; else the service’s default',
  },
  'api-key-file': { type: 'string', value: '<file>', help: 'file with the API key; else REMIT_API_KEY' },
  timeout: { type: 'string', value: '<seconds>', help: 'give up on a request after so long' },
  json: { type: 'boolean', help: 'the service’s JSON, one document; for lists with --all one row a line' },
  help: { type: 'boolean', help: 'this text' },
  version: { type: 'boolean', help: 'the version of this command' },
}
