// Group: the queue-sharing group as this queue manager sees it. What needs attention, members, structures, databases, and commands for more.
//
// What needs attention is said in the words of `quaymaster doctor`: the server decides it, the page shows it.

import { useEffect } from 'preact/hooks';
import type { Group } from '../api/operations.ts';
import { request } from '../api/request.ts';
import { groupOf, may } from '../api/session.ts';
import { count } from '../format.ts';
import type { PageProps } from '../pages.ts';
import { useAsked } from '../parts/asked.ts';
import { Button } from '../parts/button.tsx';
import { Figure } from '../parts/figures.tsx';
import { Icon } from '../parts/icon.tsx';
import { Empty, Failed, Loading } from '../parts/states.tsx';
import { t } from '../text.ts';
import { defineStructure } from './group/actions.tsx';
import { Commands } from './group/commands.tsx';
import { Databases } from './group/databases.tsx';
import { homeOf, milliseconds, operationsOfBatch } from './group/figures.ts';
import { Members } from './group/members.tsx';
import { Structures } from './group/structures.tsx';
import { Problems, Words } from './now/problems.tsx';

const AGAIN_MS = 5000;

export default function GroupPage({ parameters: { qmgr = '' } }: PageProps) {
  const isInGroup = groupOf(qmgr) !== null;
  const asked = useAsked(isInGroup ? qmgr : undefined, (signal) => request('GET /api/v1/qmgr/{qmgr}/group', { path: { qmgr }, signal }));
  const troubles = useAsked(isInGroup ? qmgr : undefined, async (signal) => {
    const { problems } = await request('GET /api/v1/qmgr/{qmgr}/problems', { path: { qmgr }, signal });
    // They lead here.
    return problems.filter(({ object }) => object.type === 'group').map((one) => ({ ...one, next: one.next.filter(({ action }) => action !== 'group') }));
  });
  useEffect(() => {
    const again = () => {
      if (document.hidden) return;
      asked.again();
      troubles.again();
    };
    const timer = setInterval(again, AGAIN_MS);
    return () => clearInterval(timer);
  }, [qmgr]);
  const group = asked.answer;
  return (
    <div class="overview group-page">
      <header class="page-head">
        <div class="page-title">
          <h1>{group ? t('qsg.title', { group: group.name }) : t('pages.group')}</h1>
          {group && group.schemaVersion !== null && <span class="tag">{t('qsg.tables', { version: group.schemaVersion })}</span>}
          {group && may.value.change && (
            <div class="head-actions"><Button icon="add" onClick={() => void defineStructure(qmgr).then((isDone) => isDone && asked.again())}>{t('qsg.defineStructure')}</Button></div>
          )}
        </div>
      </header>
      {!isInGroup && <Empty title={t('qsg.notIn', { qmgr })}>{t('qsg.notInHelp')}</Empty>}
      {asked.error !== undefined && <Failed error={asked.error} again={asked.again} />}
      {!group && asked.isLoading && <Loading />}
      {group && <Figures group={group} />}
      {group && troubles.answer && <Attention qmgr={qmgr} group={group} troubles={troubles.answer} changed={troubles.again} />}
      {group && group.members.length > 0 && <Members qmgr={qmgr} group={group} />}
      {group && <Structures qmgr={qmgr} group={group} changed={asked.again} />}
      {group && group.databases.length > 0 && <Databases group={group} />}
      {group && !group.hasDatabase && <p class="quiet">{t('qsg.noDatabase')}</p>}
      {group && <Commands qmgr={qmgr} group={group} />}
    </div>
  );
}

function Figures({ group }: { group: Group }) {
  const { members, structures } = group;
  const active = members.filter(({ state }) => state === 'ACTIVE').length;
  const home = homeOf(group);
  const messages = structures.reduce((sum, one) => sum + one.messages, 0);
  const queues = structures.reduce((sum, one) => sum + one.queues, 0);
  const batch = operationsOfBatch(group);
  return (
    <dl class="figures">
      {group.hasDatabase && <Figure name={t('qsg.members')} note={t('qsg.known', { count: members.length })} warns={members.some(({ state }) => state === 'FAILED' || state === 'RECOVERING')}>{t('qsg.active', { count: active })}</Figure>}
      <Figure name={t('qsg.thisMember')} note={group.epoch === null ? undefined : t('qsg.epochOf', { epoch: group.epoch })}>{group.member}</Figure>
      <Figure name={t('qsg.messages')} note={t('qsg.onQueues', { count: queues })}>{count(messages)}</Figure>
      {home && <Figure name={t('qsg.roundTrip')} note={t('qsg.toHome')} warns={!home.isReached}>{home.isReached ? milliseconds(home.roundTripMilliseconds) : t('qsg.away')}</Figure>}
      {home && <Figure name={t('qsg.commit')} note={t('qsg.mean')}>{milliseconds(home.commitMilliseconds)}</Figure>}
      {group.hasDatabase && <Figure name={t('qsg.batch')} note={t('qsg.operations')}>{batch === null ? '–' : batch.toFixed(1)}</Figure>}
    </dl>
  );
}

function Attention({ qmgr, group, troubles, changed }: { qmgr: string; group: Group; troubles: Parameters<typeof Problems>[0]['problems']; changed(): void }) {
  const heard = troubles.filter(({ mutedUntil }) => mutedUntil === null);
  const muted = troubles.filter(({ mutedUntil }) => mutedUntil !== null);
  const fine = group.checks.filter(({ verdict }) => verdict === 'ok');
  return (
    <section aria-labelledby="group-attention">
      <h2 id="group-attention">{t('qsg.attention')}</h2>
      {heard.length === 0 ? <p class="state-line"><Icon name="good" class="is-good" /> {t('qsg.nothing')}</p> : <Problems qmgr={qmgr} problems={heard} changed={changed} />}
      {muted.length > 0 && (
        <details class="muted">
          <summary>{t('now.muted', { count: muted.length })}</summary>
          <Problems qmgr={qmgr} problems={muted} changed={changed} />
        </details>
      )}
      {fine.length > 0 && (
        <details class="muted">
          <summary>{t('qsg.fine', { count: fine.length })}</summary>
          <ul class="checks">
            {fine.map(({ subject, about, text }) => <li key={subject + about + text}><Icon name="good" class="is-good" /><span class="check-subject">{subject}</span><span><Words text={text} /></span></li>)}
          </ul>
        </details>
      )}
    </section>
  );
}
