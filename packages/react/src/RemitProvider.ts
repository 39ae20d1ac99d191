'use client'
import type { Client } from '@remit/client'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { createContext, createElement, type ReactNode, useContext, useMemo } from 'react'
import type { RemitScope } from './queryOptions.ts'

interface Provided extends RemitScope {
  readonly client: Client
}

const RemitContext = createContext<Provided | undefined>(undefined)

export interface RemitProviderProps {
  /** Made once, outside of components. */
  readonly client: Client
  readonly children?: ReactNode
}

/** Gives the hooks below it their client. It stands within a `QueryClientProvider`. */
export function RemitProvider({ client, children }: RemitProviderProps) {
  const scopeKey = scopeOf(client, useQueryClient())
  const value = useMemo(() => ({ client, scopeKey }), [client, scopeKey])
  return createElement(RemitContext.Provider, { value }, children)
}

/** The client of the nearest `RemitProvider`. */
export function useRemitClient(): Client {
  return useProvided().client
}

/** The nearest client, and what its answers are kept apart by. */
export function useProvided(): Provided {
  const provided = useContext(RemitContext)
  if (provided === undefined) throw new Error('There is no RemitProvider around this component.')
  return provided
}

/** The clients that have been used over each QueryClient, in the order in which they came. */
const clientsOf = new WeakMap<QueryClient, Client[]>()

/**
 * A second client over the same QueryClient gets a scope: it may ask another service, or have another chain as its
 * default. The first has none, so that it finds what a server has prefetched.
 */
function scopeOf(client: Client, queryClient: QueryClient): string | undefined {
  const clients = clientsOf.get(queryClient) ?? []
  clientsOf.set(queryClient, clients)
  if (!clients.includes(client)) clients.push(client)
  const place = clients.indexOf(client)
  return place === 0 ? undefined : `client-${place}`
}
