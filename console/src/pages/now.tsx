// Now: what is wrong, worst first, each with its next step. Below it the queues that are worth a look.
//
// Problems come live: an event asks for the list again, at most once a second.

import { useEffect, useRef } from 'preact/hooks';
import { onLive, watch } from '../api/live.ts';
import { request } from '../api/request.ts';
import { may } from '../api/session.ts';
import { History } from '../charts/load.tsx';
import { qmgrCharts } from '../charts/wishes.ts';
import type { PageProps } from '../pages.ts';
import { useAsked } from '../parts/asked.ts';
import { Icon } from '../parts/icon.tsx';
import { Failed, Loading } from '../parts/states.tsx';
import { announce } from '../parts/toasts.tsx';
import { clock } from '../format.ts';
import { link } from '../routes.ts';
import { t } from '../text.ts';
import { Problems } from './now/problems.tsx';
import { TopQueues } from './now/top.tsx';

const AGAIN_MS = 1000;

export function NowPage({ parameters: { qmgr = '' } }: PageProps) {
  const asked = useAsked(qmgr, (signal) => request('GET /api/v1/qmgr/{qmgr}/problems', { path: { qmgr }, signal }));
  const again = useRef(asked.again);
  again.current = asked.again;
  useEffect(() => {
    const watching = watch({ problems: true });
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = onLive('problem', () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        again.current();
      }, AGAIN_MS);
    });
    return () => {
      watching.end();
      end();
      clearTimeout(timer);
    };
  }, [qmgr]);

  const heard = asked.answer?.problems.filter(({ mutedUntil }) => mutedUntil === null) ?? [];
  const muted = asked.answer?.problems.filter(({ mutedUntil }) => mutedUntil !== null) ?? [];
  const headline = heard.length === 0 ? t('now.nothing') : t('now.wrong', { count: heard.length });
  useEffect(() => {
    if (asked.answer) announce(headline);
  }, [headline, asked.answer === undefined]);

  return (
    <div class="now">
      <header class="page-head">
        <div class="page-title">
          <h1>{t('pages.now')}</h1>
          <span class="page-actions"><a href={link.events({ qmgr }, { tab: 'changes' })}>{t('now.changes')}</a></span>
        </div>
      </header>
      <section class="now-problems" aria-labelledby="now-headline">
        {asked.error !== undefined && <Failed error={asked.error} again={asked.again} />}
        {!asked.answer && asked.isLoading && <Loading />}
        {asked.answer && (
          <h2 id="now-headline" class={heard.length === 0 ? 'headline is-good' : 'headline'}>
            {heard.length === 0 && <Icon name="good" class="is-good" />}
            <span>{headline}</span>
            <span class="quiet">{t('now.at', { time: clock(asked.answer.at) })}</span>
          </h2>
        )}
        <Problems qmgr={qmgr} problems={heard} changed={asked.again} />
        {(asked.answer?.leftOut ?? 0) > 0 && <p class="quiet">{t('now.leftOut', { count: asked.answer?.leftOut ?? 0 })}</p>}
        {muted.length > 0 && (
          <details class="muted">
            <summary>{t('now.muted', { count: muted.length })}</summary>
            <Problems qmgr={qmgr} problems={muted} changed={asked.again} />
          </details>
        )}
      </section>
      {/* The sums over all queues are for those who may see all of them. */}
      {may.value.administer && (
        <section aria-labelledby="now-busy">
          <h2 id="now-busy" class="now-busy">{t('chart.last30')}</h2>
          <History qmgr={qmgr} charts={qmgrCharts()} span={1800} height={96} isSmall everyMs={30_000} />
        </section>
      )}
      <div class="tops">
        <TopQueues qmgr={qmgr} by="full" />
        <TopQueues qmgr={qmgr} by="oldest" />
        <TopQueues qmgr={qmgr} by="in" />
      </div>
    </div>
  );
}
