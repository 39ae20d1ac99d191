/** Anything that JSON can state. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

export type JsonObject = { readonly [name: string]: Json }
