import { Button, LinkButton } from '../design/Button.tsx'
import { Copy } from '../design/values/Address.tsx'
import { Qr } from '../design/values/Qr.tsx'

/** In characters: what a camera still reads from a screen. The signature of a wallet that is a contract may be longer. */
const MOST_IN_QR = 1_200

interface ShareLinkProps {
  readonly link: string
  /** What the QR code holds: "your signed permission". */
  readonly what: string
  /** The subject of the mail. */
  readonly subject: string
  /** What stands above the link in the mail, and beside it where it is shared. */
  readonly words: string
}

/** A link that holds what somebody has signed, with the ways to give it to somebody else. */
export function ShareLink({ link, what, subject, words }: ShareLinkProps) {
  return (
    <>
      {link.length > MOST_IN_QR ? null : (
        <div class="signed-link__qr">
          <Qr text={link} label={`QR code of the link to ${what}`} />
        </div>
      )}
      <div class="row">
        <Copy text={link} what="link" isNamed />
        {'share' in navigator ? (
          <Button isSmall onClick={() => void navigator.share({ text: words, url: link }).catch(() => {})}>
            Share …
          </Button>
        ) : null}
        <LinkButton
          isSmall
          href={`mailto:?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(`${words}\n\n${link}`)}`}
        >
          Send by mail
        </LinkButton>
      </div>
    </>
  )
}
