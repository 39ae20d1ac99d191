import {
  type ChainOperation,
  type Declaration,
  metadataOf,
  type OperationMetadata,
} from '@remit/engine/declare/operation'
import type * as z from 'zod'
import type { ServiceContext } from './ServiceContext.ts'

/** Answers from what the service keeps: its own state, keys, webhooks, sessions. */
interface ServiceDeclaration<Path extends string, Input extends z.ZodObject, Output extends z.ZodObject>
  extends Declaration<Path, Input, Output> {
  readonly once?: undefined
  handle(context: ServiceContext & { readonly input: z.output<Input> }): Promise<z.output<Output>>
}

/** An answer that never changes while the process runs. It is made and encoded once, for whoever asks first. */
interface UnchangingDeclaration<Path extends string, Input extends z.ZodObject, Output extends z.ZodObject>
  extends Declaration<Path, Input, Output> {
  readonly handle?: undefined
  once(context: Pick<ServiceContext, 'service'>): Promise<z.output<Output>>
}

export type ServiceOperationDeclaration<
  Path extends string,
  Input extends z.ZodObject,
  Output extends z.ZodObject,
> = ServiceDeclaration<Path, Input, Output> | UnchangingDeclaration<Path, Input, Output>

/** A declaration of any types. The pipeline hands it what its own schema has decoded. */
type AnyDeclaration = ServiceOperationDeclaration<string, z.ZodObject, z.ZodObject>

/** An operation that answers from what the service keeps. */
export interface ServiceOperation extends OperationMetadata {
  readonly kind: 'service'
  /** How it answers. */
  readonly declaration: AnyDeclaration
}

/** Whatever the service serves. */
export type Operation = ChainOperation | ServiceOperation

/** An operation, or a file or stream of one, that is answered 501 where this runs: at the edge. */
export type AbsentOperation = Pick<Operation, 'name' | 'rest' | 'effect' | 'tool' | 'isSecret'>

/** Declares an operation of the service itself. As `defineOperation`, which is for those on a chain. */
export function defineServiceOperation<
  Path extends string,
  Input extends z.ZodObject,
  Output extends z.ZodObject,
>(typed: ServiceOperationDeclaration<Path, Input, Output>): ServiceOperation {
  // Safe: a call hands the handler what the declaration's own schema gave.
  const declaration = typed as unknown as AnyDeclaration
  return {
    ...metadataOf(declaration),
    kind: 'service',
    unchanging: declaration.once !== undefined,
    declaration,
  }
}
