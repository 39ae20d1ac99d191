/** The cell of the column "final": whether the block that a payment is in can no longer be replaced. */
export function finalWord({ finalized }: { readonly finalized: boolean }): string {
  return finalized ? 'yes' : 'not yet'
}
