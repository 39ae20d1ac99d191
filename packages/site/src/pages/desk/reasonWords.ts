/** Why a payment fails, by the reason that the service names: in lists, and in files. */
export const REASON_WORDS: Readonly<Record<string, string>> = {
  allowance: 'permission too small',
  balance: 'too little money',
  both: 'too little money and permission',
  blocked: 'the token refuses it',
}
