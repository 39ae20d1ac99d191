import { Copy } from '../design/Address.tsx'
import { Button, LinkButton } from '../design/Button.tsx'
import { Qr } from '../design/Qr.tsx'

/** What a camera still reads from a screen. A wallet that is a contract may sign at greater length. */
const MOST_IN_QR = 1_200

interface ShareLinkProps {
  readonly link: string
  /** What the QR code holds: "your signed permission". */
  readonly what: string
  /** The letter's. */
  readonly subject: string
  readonly words: string
}

/** A link to what somebody has signed, to be given away. */
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
