// Connections one by one: the list of the server.

import { useMemo } from 'preact/hooks';
import { may } from '../../api/session.ts';
import { age, moment } from '../../format.ts';
import { type Column, List } from '../../grid/list.tsx';
import type { ListRows } from '../../grid/rows.ts';
import type { Selection } from '../../grid/selection.ts';
import { listSource } from '../../grid/source.ts';
import { Button } from '../../parts/button.tsx';
import { toast } from '../../parts/toasts.tsx';
import { link } from '../../routes.ts';
import { t } from '../../text.ts';
import { Amount } from '../queue/columns.tsx';
import { CONNECTION_COLUMNS, type ConnectionRow } from './connections.ts';
import { MOST_ENDED, proposeEnd } from './end.tsx';
import { UnitAge } from './groups.tsx';

type ConnectionColumn = Column<ConnectionRow> & { needs?: readonly string[] };

export function Connections({ qmgr, turn, changed }: { qmgr: string; turn: number; changed(): void }) {
  const columns = useMemo(() => columnsOf(qmgr, changed), [qmgr]);
  return (
    <List<ConnectionRow>
      name="connections" label={t('applications.connections')} sourceKey={`${qmgr} ${turn}`} source={(wanted) => listSource('connections', qmgr, wanted)} keyOf={({ id }) => id} columns={columns}
      shown={['application', 'user', 'channel', 'address', 'since', 'uncommitted', 'unitSince', 'open', 'puts', 'gets', 'end']} always={['id', 'application', 'uncommitted', 'unitSince']}
      sort={['-uncommitted', 'unitSince', '-since']} example="unitSince>1m" filters={CONNECTION_COLUMNS}
      quick={[{ name: t('applications.withUnit'), where: 'uncommitted>0' }, { name: t('applications.longUnit'), where: 'unitSince>1m' }, { name: t('applications.clients'), where: 'channel=*' }]}
      href={({ id }) => link.connection({ qmgr, connection: id })}
      {...(may.value.change ? { actions: (selection: Selection<ConnectionRow>, rows: ListRows<ConnectionRow>) => <Ticked qmgr={qmgr} selection={selection} rows={rows} changed={changed} /> } : {})}
    />
  );
}

function Ticked({ qmgr, selection, rows, changed }: { qmgr: string; selection: Selection<ConnectionRow>; rows: ListRows<ConnectionRow>; changed(): void }) {
  async function end(): Promise<void> {
    const total = rows.total.peek() ?? 0;
    if (selection.count.peek() > MOST_ENDED) return toast('error', t('applications.tooMany', { most: MOST_ENDED }));
    const chosen = selection.chosen().rows ?? (await rows.range(0, total - 1)).filter((one) => selection.has(one));
    const isDone = await proposeEnd(qmgr, chosen, [...new Set(chosen.map(({ application }) => application ?? ''))].join(', '));
    if (isDone) changed();
  }
  return <Button kind="plain" icon="close" onClick={() => void end()}>{t('applications.end')}</Button>;
}

const NO = <span class="quiet">–</span>;

function columnsOf(qmgr: string, changed: () => void): ConnectionColumn[] {
  return [
    { key: 'application', title: t('column.application'), width: '3fr', cell: ({ id, application }) => <a class="object" tabIndex={-1} href={link.connection({ qmgr, connection: id })}>{application ?? id}</a> },
    { key: 'user', title: t('column.user'), width: 88, cell: ({ user }) => user ?? NO },
    { key: 'channel', title: t('column.channel'), width: 164, cell: ({ channel }) => channel ?? NO },
    { key: 'address', title: t('column.address'), width: 112, cell: ({ address }) => address ?? NO },
    { key: 'since', title: t('column.since'), width: 96, align: 'end', cell: ({ since }) => <time title={moment(since)}>{age(since)}</time> },
    { key: 'uncommitted', title: t('column.uncommitted'), width: 112, align: 'end', help: t('queues.uncommittedHelp'), cell: ({ uncommitted }) => <Amount value={uncommitted} /> },
    { key: 'unitSince', title: t('column.unitSince'), width: 108, align: 'end', largeFirst: false, help: t('applications.unitHelp'), needs: ['unitSince', 'uncommitted'], cell: ({ unitSince, uncommitted }) => <UnitAge since={unitSince} warns={(uncommitted ?? 0) > 0} /> },
    { key: 'open', title: t('column.open'), width: 76, align: 'end', cell: ({ open }) => <Amount value={open} /> },
    { key: 'puts', title: t('column.puts'), width: 68, align: 'end', cell: ({ puts }) => <Amount value={puts} /> },
    { key: 'gets', title: t('column.gets'), width: 68, align: 'end', cell: ({ gets }) => <Amount value={gets} /> },
    { key: 'client', title: t('column.client'), width: 132, cell: ({ client }) => client ?? NO },
    { key: 'id', title: t('column.id'), width: 164, cell: ({ id }) => <span class="mono">{id}</span> },
    ...(may.value.change
      ? [{
        key: 'end', title: '', width: 64, sorts: false, needs: [], text: () => '',
        cell: (row: ConnectionRow) => (
          <button type="button" class="link is-danger" tabIndex={-1} title={t('applications.endOf', { count: 1, whose: row.application ?? row.id })} onClick={() => void proposeEnd(qmgr, [row], row.application ?? row.id).then((isDone) => isDone && changed())}>
            {t('applications.endShort')}
          </button>
        ),
      } satisfies ConnectionColumn]
      : []),
  ];
}
