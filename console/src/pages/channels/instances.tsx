// What runs: instances of channels, with who is at the other end.

import { useMemo } from 'preact/hooks';
import { age, bytes, clock, moment } from '../../format.ts';
import { type Column, List } from '../../grid/list.tsx';
import { listSource } from '../../grid/source.ts';
import { link } from '../../routes.ts';
import { t } from '../../text.ts';
import { Amount } from '../queue/columns.tsx';
import type { InstanceRow } from './channels.ts';

const NO = <span class="quiet">–</span>;
const FILTERS = ['channel', 'state', 'address', 'user', 'application', 'since', 'last', 'conversations', 'messages', 'bytesIn', 'bytesOut', 'cipher', 'protocol', 'subject', 'issuer', 'client', 'stopping', 'disposition'];

export function Instances({ qmgr, turn, channel }: { qmgr: string; turn: number; channel?: string }) {
  const columns = useMemo(() => columnsOf(qmgr), [qmgr]);
  return (
    <List<InstanceRow>
      name={channel === undefined ? 'instances' : 'instances.one'} label={t('channels.instances')} sourceKey={`${qmgr} ${channel} ${turn}`}
      source={(wanted) => {
        const source = listSource<InstanceRow>('channel-instances', qmgr, wanted);
        return (query, ...page) => source(channel === undefined ? query : { ...query, where: [...query.where, `channel=${channel}`] }, ...page);
      }}
      keyOf={(row) => `${row.channel} ${row.address} ${row.since} ${row.application} ${row.messages}`} columns={columns}
      shown={[...(channel === undefined ? ['channel'] : []), 'application', 'user', 'address', 'since', 'conversations', 'messages', 'bytesIn', 'bytesOut', 'protocol']}
      always={['channel', 'address', 'since', 'application', 'messages']} sort={['-since']} example="application=web-shop" filters={FILTERS} quick={[{ name: t('channels.withoutTls'), where: 'protocol=' }]}
      href={({ channel: name, address }) => link.applications({ qmgr }, { by: 'connection', where: [`channel=${name}`, ...(address ? [`address=${address}`] : [])] })}
    />
  );
}

function columnsOf(qmgr: string): Column<InstanceRow>[] {
  const size = (key: 'bytesIn' | 'bytesOut'): Column<InstanceRow> => ({ key, title: t(`column.${key}`), width: 88, align: 'end', cell: (row) => bytes(row[key]) });
  const text = (key: 'user' | 'address' | 'cipher' | 'protocol' | 'subject' | 'issuer' | 'client' | 'disposition', width: Column<InstanceRow>['width']): Column<InstanceRow> => ({
    key, title: t(`column.${key}`), width, cell: (row) => (row[key] ? <span title={row[key] ?? ''}>{row[key]}</span> : NO),
  });
  return [
    { key: 'channel', title: t('column.channel'), width: '2fr', cell: ({ channel }) => <a class="object" tabIndex={-1} href={link.channel({ qmgr, channel })}>{channel}</a> },
    { key: 'application', title: t('column.application'), width: '2fr', cell: ({ application }) => application ?? NO },
    text('user', 96), text('address', 116),
    { key: 'state', title: t('column.state'), width: 84, cell: ({ state, stopping }) => <span class={stopping ? 'is-warning' : undefined}>{state}</span> },
    { key: 'since', title: t('column.since'), width: 92, align: 'end', cell: ({ since }) => <time title={moment(since)}>{age(since)}</time> },
    { key: 'last', title: t('column.lastCall'), width: 84, align: 'end', cell: ({ last }) => <time title={moment(last)}>{clock(last)}</time> },
    { key: 'conversations', title: t('column.conversations'), width: 116, align: 'end', help: t('channels.conversationsHelp'), cell: ({ conversations }) => <Amount value={conversations} /> },
    { key: 'messages', title: t('column.calls'), width: 80, align: 'end', help: t('channels.messagesHelp'), cell: ({ messages }) => <Amount value={messages} /> },
    size('bytesIn'), size('bytesOut'),
    text('protocol', 76), text('cipher', 160), text('subject', '2fr'), text('issuer', '2fr'), text('client', 128), text('disposition', 92),
  ];
}
