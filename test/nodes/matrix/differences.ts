/**
 * Which parts of an answer may differ from the answer over a node that lacks nothing, once this warning stands in it.
 * Nothing else may.
 */
const DIFFERENCES: Readonly<Record<string, RegExp>> = {
  SIMULATION_PARTIAL:
    /^(warnings|(preflight|details)\.seen|simulation\.(method|calls|balanceChanges)|gasEstimates|gasSummary\.\w+)$/,
  GAS_HEURISTIC: /^(warnings|gasEstimates|gasSummary\.\w+)$/,
  FORECAST_CUT:
    /^(warnings|(preflight|details)\.(days|expectedTransactions|callerFees|seen)|gasSummary\.\w+)$/,
}

/** Whether a warning explains a difference at this path. */
export function allowedTo(code: string, path: string): boolean {
  return DIFFERENCES[code]?.test(path) ?? false
}
