import {
  CallerLog as CallerLogEvent,
  DetailsLog as DetailsLogEvent,
  ProvDetailsLog as ProvDetailsLogEvent,
  SubLog as SubLogEvent,
} from '../generated/Subscriptions/ISubscriptions'
import { CallerLog, DetailsLog, ProvDetailsLog, SubLog } from '../generated/schema'

// AssemblyScript, not TypeScript. Each handler stores its log without changes.

export function handleSubLog(event: SubLogEvent): void {
  const entity = new SubLog(event.transaction.hash.concatI32(event.logIndex.toI32()))
  entity.internal_id = event.params.id
  entity.provider = event.params.provider
  entity.subscriber = event.params.subscriber
  entity.timestamp = event.params.timestamp
  entity.amount = event.params.amount
  entity.token = event.params.token
  entity.subScriptEvent = event.params.subScriptEvent
  entity.blockNumber = event.block.number
  entity.blockTimestamp = event.block.timestamp
  entity.transactionHash = event.transaction.hash
  entity.save()
}

export function handleDetailsLog(event: DetailsLogEvent): void {
  const entity = new DetailsLog(event.transaction.hash.concatI32(event.logIndex.toI32()))
  entity.internal_id = event.params.id
  entity.provider = event.params.provider
  entity.timestamp = event.params.timestamp
  entity.url = event.params.url
  entity.description = event.params.description
  entity.blockNumber = event.block.number
  entity.blockTimestamp = event.block.timestamp
  entity.transactionHash = event.transaction.hash
  entity.save()
}

export function handleProvDetailsLog(event: ProvDetailsLogEvent): void {
  const entity = new ProvDetailsLog(event.transaction.hash.concatI32(event.logIndex.toI32()))
  entity.provider = event.params.provider
  entity.timestamp = event.params.timestamp
  entity.description = event.params.description
  entity.company = event.params.company
  entity.url = event.params.url
  entity.domain = event.params.domain
  entity.email = event.params.email
  entity.misc = event.params.misc
  entity.blockNumber = event.block.number
  entity.blockTimestamp = event.block.timestamp
  entity.transactionHash = event.transaction.hash
  entity.save()
}

export function handleCallerLog(event: CallerLogEvent): void {
  const entity = new CallerLog(event.transaction.hash.concatI32(event.logIndex.toI32()))
  entity.timestamp = event.params.timestamp
  entity.checkedDay = event.params.checkedDay
  entity.caller = event.params.caller
  entity.isFinished = event.params.isFinished
  entity.blockNumber = event.block.number
  entity.blockTimestamp = event.block.timestamp
  entity.transactionHash = event.transaction.hash
  entity.save()
}
