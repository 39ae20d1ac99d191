/** Packs the client for the service to serve: run by `npm ci`, and by `npm run client:pack` after a change. */
import { canPackClient, packClient } from './packClient.ts'

if (canPackClient()) await packClient()
else
  process.stderr.write('Without TypeScript (npm ci --omit=dev) the client is not packed: it is not served.\n')
