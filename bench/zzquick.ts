import { openStore } from '/work/main/src/store/openStore.ts'
import { createProjection } from '/work/main/src/history/projection/createProjection.ts'
import { ManyLogs } from '/work/main/test/support/manyLogs.ts'
import { rmSync, statSync } from 'node:fs'
const size = Number(process.argv[2] ?? 100000), per = Number(process.argv[3] ?? 2000)
const url = process.argv[4] ?? 'file:/tmp/x/q.db'
for (const s of ['', '-wal', '-shm']) rmSync('/tmp/x/q.db'+s, {force:true})
import { sql } from '/work/main/node_modules/kysely/dist/esm/index.js'
const store = await openStore(url); if (process.argv[5]) for (const x of process.argv[5].split(';')) await store.transaction(db => sql.raw('pragma '+x).execute(db)); const p = createProjection(store)
const logs = new ManyLogs(size)
const lease = await p.take({chainId:1, genesisHash: logs.genesisHash, contract: logs.contract, firstBlock: 1000}, 'rpc', async()=>logs.origin, 'q', 60000)
let t=0, n=0; let cpu=0; let lt=0, ln=0
for (const {step, terms} of logs.steps(per)) { await new Promise(r=>setImmediate(r)); const c=process.cpuUsage(); const a=performance.now(); await p.apply(lease!, step.ancestor, step, terms, 60000); const d=performance.now()-a; const u=process.cpuUsage(c); cpu+=(u.user+u.system)/1000; t+=d; n+=step.events.length; lt+=d; ln+=step.events.length
 if (ln>=size/5) { console.log(n, Math.round(ln/lt*1000), 'rows/s last fifth', Math.round(process.memoryUsage().rss/1e6)+'MB'); lt=0; ln=0 } }
console.log('total', Math.round(n/t*1000), 'rows/s', Math.round(n/cpu*1000), 'rows/cpu-s', (url.startsWith('file')? statSync('/tmp/x/q.db').size/1e6 : 0)+'MB')
await store.close()
