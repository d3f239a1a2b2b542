// The link that lets others in, to be handed on; and as a picture to scan.

import { useApp } from '../app';
import { ShareLink } from './ShareLink';

export function Invite() {
  const { id, words } = useApp();
  const say = words.value;
  return (
    <section class="invite panel">
      <h2>{say.text('app.invite')}</h2>
      <div class="invite-ways">
        <ShareLink
          url={`${location.origin}/t/${id}`}
          label={say.text('app.invite.link')}
          text={say.text('app.invite.text')}
          testid="invite-link"
        />
        <img
          class="qr"
          src={`/t/${id}/qr.svg`}
          alt={say.text('app.invite.qr')}
          width="132"
          height="132"
          loading="lazy"
        />
      </div>
    </section>
  );
}
