/** Why a payment fails, by the service's reason: for lists and files of the desk. */
export const REASON_WORDS: Readonly<Record<string, string>> = {
  allowance: 'permission too small',
  balance: 'too little money',
  both: 'too little money and permission',
  blocked: 'the token refuses it',
}
