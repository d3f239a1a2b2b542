// What stands instead of the table when this page is not at it any more: why, and the way on.

import { useApp } from '../app';
import type { EndCode } from '../connection';

export function Gone({ code }: { code: EndCode }) {
  const { words, reconnect } = useApp();
  const say = words.value;
  return (
    <main class="plain" data-testid="gone" data-value={code}>
      <h1>{say.text(`app.gone.${code}.title`)}</h1>
      <p>{say.text(`app.gone.${code}.text`)}</p>
      <p class="row">
        {code === 'replaced' ? (
          <button type="button" class="main" data-testid="use-here" onClick={reconnect}>
            {say.text('app.gone.use_here')}
          </button>
        ) : (
          <a class="button main" href={say.language === 'bn' ? '/bn' : '/'}>
            {say.text('app.gone.home')}
          </a>
        )}
      </p>
    </main>
  );
}
