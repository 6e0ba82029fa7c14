// One channel: what runs and went through it, who was refused, by which rules clients come in, and its attributes.

import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { request } from '../api/request.ts';
import { may } from '../api/session.ts';
import { HistoryView } from '../charts/load.tsx';
import { channelCharts } from '../charts/wishes.ts';
import { bytes, count } from '../format.ts';
import { objects } from '../grid/source.ts';
import type { PageProps } from '../pages.ts';
import { useAsked } from '../parts/asked.ts';
import { Button } from '../parts/button.tsx';
import { Figure } from '../parts/figures.tsx';
import { Icon } from '../parts/icon.tsx';
import { Menu } from '../parts/menu.tsx';
import { Empty, Failed, Loading } from '../parts/states.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { go, route } from '../router.ts';
import { link } from '../routes.ts';
import { t, textOf } from '../text.ts';
import { questionOf } from './authority/answers.ts';
import { Explain } from './authority/explain.tsx';
import { AuthorityOf } from './authority/of-object.tsx';
import { RefusedClients } from './authority/refusals.tsx';
import { deleteChannel, startChannels, stopChannels } from './channels/actions.tsx';
import { CHANNEL_COLUMNS, type ChannelRow, chltype, runs } from './channels/channels.ts';
import { Instances } from './channels/instances.tsx';
import { State } from './channels/list.tsx';
import { ChannelProperties } from './channels/properties.tsx';
import { Rules } from './channels/rules.tsx';

const VIEWS = ['instances', 'rules', 'refused', 'history', 'authority', 'properties'] as const;

export default function ChannelPage({ parameters: { qmgr = '', channel = '' } }: PageProps) {
  const turn = useSignal(0);
  const asked = useAsked(`${qmgr} ${channel}`, async (signal) => {
    const query = { where: [`name=${channel}`], columns: CHANNEL_COLUMNS.join(','), limit: 1 };
    return objects<ChannelRow>(await request('GET /api/v1/qmgr/{qmgr}/channels', { path: { qmgr }, query, signal }))[0] ?? null;
  });
  const query = route.value?.query ?? new URLSearchParams();
  const row = asked.answer;
  const views = VIEWS.filter((one) => !row || runs(row) || one === 'properties' || one === 'authority');
  const view = views.find((one) => one === query.get('view')) ?? views[0] ?? 'properties';
  const question = questionOf(query);
  const charts = useMemo(() => channelCharts(channel), [channel]);
  const changed = () => {
    turn.value += 1;
    asked.again();
  };
  return (
    <div class="list-page">
      <header class="page-head">
        <p class="crumbs"><a href={link.channels({ qmgr })}>{t('pages.channels')}</a></p>
        <div class="page-title">
          <h1 class="object">{channel}</h1>
          {row && <span class="tag">{textOf(`channelType.${chltype(row.type)}`) ?? row.type}</span>}
          {row && <State state={row.state} />}
          {row && <Actions qmgr={qmgr} row={row} changed={changed} />}
        </div>
        {row?.description && <p class="quiet">{row.description}</p>}
      </header>
      {asked.error !== undefined && <Failed error={asked.error} again={asked.again} />}
      {!asked.answer && asked.isLoading && <Loading />}
      {row === null && <Empty title={t('channels.gone', { name: channel })} action={<a class="button secondary" href={link.channels({ qmgr })}>{t('pages.channels')}</a>} />}
      {row && runs(row) && <Figures row={row} />}
      {row && <Tabs label={channel} tabs={views.map((one) => ({ name: t(`channels.${one}`), href: link.channel({ qmgr, channel }, { view: one === views[0] ? undefined : one }), isOpen: one === view }))} />}
      {row && (
        <div class="tab list-page">
          {view === 'instances' && <Instances qmgr={qmgr} turn={turn.value} channel={channel} />}
          {view === 'rules' && <Rules qmgr={qmgr} turn={turn.value} changed={changed} channel={channel} />}
          {view === 'refused' && <RefusedClients qmgr={qmgr} turn={turn.value} channel={channel} />}
          {view === 'history' && <HistoryView qmgr={qmgr} charts={charts} height={160} />}
          {view === 'authority' && <AuthorityOf qmgr={qmgr} type={row.type === 'clientConnection' ? 'CLNTCONN' : 'CHANNEL'} name={channel} />}
          {view === 'properties' && <ChannelProperties qmgr={qmgr} row={row} changed={changed} />}
        </div>
      )}
      {view !== 'authority' && (question || query.get('open') === 'explain') && <Explain qmgr={qmgr} question={question} about="client" channel={channel} changed={changed} />}
    </div>
  );
}

function Figures({ row: { instances, max, messages, bytesIn, bytesOut, cipher } }: { row: ChannelRow }) {
  const isFull = max !== null && instances !== null && instances >= max;
  return (
    <dl class="figures">
      <Figure name={t('column.instances')} note={max === null || max >= 999_999_999 ? t('channels.noLimit') : t('channels.ofMost', { most: max })} warns={isFull}>{count(instances)}</Figure>
      <Figure name={t('column.calls')}>{count(messages)}</Figure>
      <Figure name={t('column.bytesIn')}>{bytes(bytesIn)}</Figure>
      <Figure name={t('column.bytesOut')}>{bytes(bytesOut)}</Figure>
      <Figure name={t('column.cipher')}>{cipher ?? t('channels.noTls')}</Figure>
    </dl>
  );
}

function Actions({ qmgr, row, changed }: { qmgr: string; row: ChannelRow; changed(): void }) {
  if (!may.value.change) return null;
  const { name, state, instances } = row;
  const then = (done: Promise<boolean>) => void done.then((isDone) => isDone && changed());
  return (
    <span class="page-actions">
      <Button icon="refresh" onClick={changed}>{t('list.refresh')}</Button>
      {runs(row) && (state === 'stopped' || state === 'stopping') && <Button kind="primary" onClick={() => then(startChannels(qmgr, [name]))}>{t('channels.start')}</Button>}
      {runs(row) && state !== 'stopped' && <Button onClick={() => then(stopChannels(qmgr, [name], instances ?? 0))}>{t('channels.stop')}</Button>}
      <Menu
        button={<Icon name="more" />} class="icon-button" label={t('list.more')} edge="end"
        actions={[{ name: t('channels.delete'), icon: 'remove', danger: true, run: () => void deleteChannel(qmgr, name, instances ?? 0).then((isDone) => isDone && go(link.channels({ qmgr }))) }]}
      />
    </span>
  );
}
