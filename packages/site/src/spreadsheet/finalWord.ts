/** Whether the chain can still replace the block that a payment is in, as files say it. */
export function finalWord({ finalized }: { readonly finalized: boolean }): string {
  return finalized ? 'yes' : 'not yet'
}
