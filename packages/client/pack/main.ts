/** Packs the client for the service to serve: run by `npm ci`, and by `npm run pack -w @remit/client` after a change. */
import { canPackClient, packClient } from './packClient.ts'

if (canPackClient()) await packClient()
else
  process.stderr.write(
    'TypeScript or the types of Node are not installed (npm ci --omit=dev), so the client is not packed and not served.\n',
  )
