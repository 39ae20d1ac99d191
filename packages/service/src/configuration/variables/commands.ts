import * as z from 'zod'
import { variablesOf } from '../defineVariable.ts'
import { port, publicUrl } from '../values.ts'

const developmentVariable = variablesOf('Development')
const composeVariable = variablesOf('Compose')

/** Variables of the development chain (`npm start`) and of the commands that call it. The defaults are for a developer's own machine. */
export const DEVELOPMENT = {
  devnetPort: developmentVariable({
    name: 'DEVNET_PORT',
    description: "The port of the development chain's RPC; 0 takes any free one.",
    schema: port,
    default: '8545',
  }),
  remitUrl: developmentVariable({
    name: 'REMIT_URL',
    description:
      'The service that `npm run demo` calls. If it is not set: the one at `PORT` if that is set, else the `npm start` of this folder, else the newest one of this user.',
    schema: publicUrl,
  }),
}

/** The form of the two passwords below: `compose.yaml` writes them into URLs as they are, so no character may need escaping there. */
const urlWord = z
  .string()
  .regex(/^[A-Za-z0-9_-]+$/, 'must be of letters, digits, _ and -')
  .describe('letters, digits, `_` and `-`')

/** Variables that `compose.yaml` alone reads. They are declared for the documentation of all variables. */
export const COMPOSE = {
  postgresPassword: composeVariable({
    name: 'POSTGRES_PASSWORD',
    description: 'The password of the Postgres in `compose.yaml`, where it becomes a part of a URL.',
    schema: urlWord,
    secret: 'all',
  }),
  redisPassword: composeVariable({
    name: 'REDIS_PASSWORD',
    description: 'The password of the Redis in `compose.yaml`, where it becomes a part of a URL.',
    schema: urlWord,
    secret: 'all',
  }),
  apiPorts: composeVariable({
    name: 'API_PORTS',
    description:
      'The port on loopback at which `compose.yaml` publishes the API, or a range with one for each replica.',
    schema: z
      .string()
      .regex(/^\d{1,5}(-\d{1,5})?$/, 'must be a port, or two with a hyphen between them')
      .describe('a port, or a range such as `3000-3002`'),
    default: '3000',
  }),
}
