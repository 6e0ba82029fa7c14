// Channels: definitions with what runs and what went through them.

import { useMemo } from 'preact/hooks';
import { may } from '../../api/session.ts';
import { bytes, count } from '../../format.ts';
import { type Column, List } from '../../grid/list.tsx';
import type { ListRows } from '../../grid/rows.ts';
import type { Selection } from '../../grid/selection.ts';
import { listSource } from '../../grid/source.ts';
import { Button } from '../../parts/button.tsx';
import { link } from '../../routes.ts';
import { t, textOf } from '../../text.ts';
import { Amount } from '../queue/columns.tsx';
import { startChannels, stopChannels } from './actions.tsx';
import { CHANNEL_COLUMNS, chltype, type ChannelRow, runs } from './channels.ts';

type ChannelColumn = Column<ChannelRow> & { needs?: readonly string[] };

export function Channels({ qmgr, turn, changed }: { qmgr: string; turn: number; changed(): void }) {
  const columns = useMemo(() => columnsOf(qmgr, changed), [qmgr]);
  return (
    <List<ChannelRow>
      name="channels" label={t('pages.channels')} sourceKey={`${qmgr} ${turn}`} source={(wanted) => listSource('channels', qmgr, wanted)} keyOf={({ name }) => name} columns={columns}
      shown={['name', 'type', 'state', 'instances', 'messages', 'bytesIn', 'bytesOut', 'cipher', 'do']} always={['name', 'type', 'state', 'instances']} sort={['-instances', 'name']} example="state=stopped"
      where={['system=false']} filters={[...CHANNEL_COLUMNS, 'system']}
      quick={[
        { name: t('queues.noSystem'), where: 'system=false' }, { name: t('channels.running'), where: 'instances>0' }, { name: t('channels.isStopped'), where: 'state=stopped' },
        { name: t('channels.forClients'), where: 'type=serverConnection' }, { name: t('channels.withoutTls'), where: 'cipher=' },
      ]}
      href={({ name }) => link.channel({ qmgr, channel: name })}
      {...(may.value.change ? { actions: (selection: Selection<ChannelRow>, rows: ListRows<ChannelRow>) => <Ticked qmgr={qmgr} selection={selection} rows={rows} changed={changed} /> } : {})}
    />
  );
}

function Ticked({ qmgr, selection, rows, changed }: { qmgr: string; selection: Selection<ChannelRow>; rows: ListRows<ChannelRow>; changed(): void }) {
  async function change(isStart: boolean): Promise<void> {
    const chosen = (selection.chosen().rows ?? (await rows.range(0, (rows.total.peek() ?? 0) - 1)).filter((one) => selection.has(one))).filter(runs);
    if (chosen.length === 0) return;
    const names = chosen.map(({ name }) => name);
    const isDone = isStart ? await startChannels(qmgr, names) : await stopChannels(qmgr, names, chosen.reduce((sum, { instances }) => sum + (instances ?? 0), 0));
    if (isDone) changed();
  }
  return (
    <>
      <Button kind="plain" onClick={() => void change(true)}>{t('channels.start')}</Button>
      <Button kind="plain" onClick={() => void change(false)}>{t('channels.stop')}</Button>
    </>
  );
}

export function State({ state }: { state: ChannelRow['state'] }) {
  if (state === null) return <span class="quiet">–</span>;
  const look = state === 'running' ? 'state-dot is-good' : state === 'inactive' ? 'state-dot quiet' : 'state-dot is-warning';
  return <span class={look}><span class="dot" aria-hidden="true" />{t(`channels.state-${state}`)}</span>;
}

function columnsOf(qmgr: string, changed: () => void): ChannelColumn[] {
  const size = (key: 'bytesIn' | 'bytesOut'): ChannelColumn => ({
    key, title: t(`column.${key}`), width: 92, align: 'end', cell: (row) => (row[key] ? bytes(row[key]) : <span class="quiet">{row[key] === null ? '–' : '0'}</span>),
  });
  return [
    { key: 'name', title: t('column.name'), width: '2fr', cell: ({ name }) => <a class="object" tabIndex={-1} href={link.channel({ qmgr, channel: name })} title={name}>{name}</a> },
    { key: 'type', title: t('column.type'), width: 140, cell: ({ type }) => textOf(`channelType.${chltype(type)}`) ?? type },
    { key: 'state', title: t('column.state'), width: 104, cell: ({ state }) => <State state={state} /> },
    {
      key: 'instances', title: t('column.instances'), width: 116, align: 'end', needs: ['instances', 'max'], help: t('channels.instancesHelp'),
      cell: ({ instances, max }) => <span class={max !== null && instances !== null && instances >= max ? 'is-error' : undefined}><Amount value={instances} />{limitOf(max)}</span>,
    },
    { key: 'messages', title: t('column.calls'), width: 92, align: 'end', help: t('channels.messagesHelp'), cell: ({ messages }) => <Amount value={messages} /> },
    size('bytesIn'), size('bytesOut'),
    { key: 'cipher', title: t('column.cipher'), width: 160, cell: ({ cipher, type }) => cipher ?? (type === 'serverConnection' ? <span class="quiet">{t('channels.noTls')}</span> : <span class="quiet">–</span>) },
    { key: 'description', title: t('column.description'), width: '2fr', cell: ({ description }) => <span title={description}>{description}</span> },
    ...(may.value.change
      ? [{
        key: 'do', title: '', width: 64, sorts: false, needs: [], text: () => '',
        cell: (row: ChannelRow) =>
          !runs(row) ? null : row.state === 'stopped' || row.state === 'stopping' ? (
            <button type="button" class="link" tabIndex={-1} title={t('channels.startOf', { count: 1, name: row.name })} onClick={() => void startChannels(qmgr, [row.name]).then((isDone) => isDone && changed())}>{t('channels.start')}</button>
          ) : (
            <button type="button" class="link is-danger" tabIndex={-1} title={t('channels.stopOf', { count: 1, name: row.name })} onClick={() => void stopChannels(qmgr, [row.name], row.instances ?? 0).then((isDone) => isDone && changed())}>{t('channels.stop')}</button>
          ),
      } satisfies ChannelColumn]
      : []),
  ];
}

/** MAXINST from which on a limit is none. */
const UNLIMITED = 999_999_999;

function limitOf(max: number | null) {
  return max === null || max >= UNLIMITED ? null : <span class="quiet"> / {count(max)}</span>;
}
