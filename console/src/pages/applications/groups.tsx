// Connections put together: by program, user or channel, those with the oldest open unit of work first.

import { useMemo } from 'preact/hooks';
import { may } from '../../api/session.ts';
import { age, clock, count, moment } from '../../format.ts';
import { type Column, List } from '../../grid/list.tsx';
import { type ListRows, localSource } from '../../grid/rows.ts';
import type { Selection } from '../../grid/selection.ts';
import { Button } from '../../parts/button.tsx';
import { link } from '../../routes.ts';
import { t } from '../../text.ts';
import { Amount } from '../queue/columns.tsx';
import { type By, connectionsOf, type Group, grouped } from './connections.ts';
import { proposeEnd } from './end.tsx';

interface GroupsProps {
  qmgr: string;
  by: By;
  turn: number;
  changed(): void;
}

const TITLES = { application: 'column.application', user: 'column.user', channel: 'column.channel' } as const;

export function Groups({ qmgr, by, turn, changed }: GroupsProps) {
  const source = useMemo(() => localSource<Group>(async () => grouped(await connectionsOf(qmgr), by)), [qmgr, by, turn]);
  const columns = useMemo(() => columnsOf(qmgr, by, changed), [qmgr, by]);
  return (
    <List<Group>
      name={`applications.${by}`} label={t('pages.applications')} sourceKey={`${qmgr} ${by} ${turn}`} source={() => source} keyOf={({ name }) => name} columns={columns}
      shown={['name', 'connections', ...others(by), 'uncommitted', 'unitSince', 'open', 'puts', 'gets', 'end']} always={[]} sort={['-uncommitted', 'unitSince', '-connections']} example="connections>10"
      filters={['name', 'connections', 'applications', 'users', 'channels', 'addresses', 'uncommitted', 'open', 'puts', 'gets']}
      quick={[{ name: t('applications.withUnit'), where: 'uncommitted>0' }, { name: t('applications.many'), where: 'connections>1' }]}
      href={({ name }) => link.applications({ qmgr }, { by: 'connection', where: [`${by}=${name}`] })}
      {...(may.value.change ? { actions: (selection: Selection<Group>, rows: ListRows<Group>) => <Ticked qmgr={qmgr} selection={selection} rows={rows} changed={changed} /> } : {})}
    />
  );
}

function Ticked({ qmgr, selection, rows, changed }: { qmgr: string; selection: Selection<Group>; rows: ListRows<Group>; changed(): void }) {
  async function end(): Promise<void> {
    const chosen = selection.chosen().rows ?? (await rows.range(0, (rows.total.peek() ?? 0) - 1)).filter((one) => selection.has(one));
    const isDone = await proposeEnd(qmgr, chosen.flatMap(({ members }) => members), chosen.map(({ name }) => name).join(', '));
    if (isDone) changed();
  }
  return <Button kind="plain" icon="close" onClick={() => void end()}>{t('applications.end')}</Button>;
}

function others(by: By): string[] {
  return ['applications', 'users', 'channels'].filter((key) => key !== `${by}s`);
}

function columnsOf(qmgr: string, by: By, changed: () => void): Column<Group>[] {
  const list = (key: 'applications' | 'users' | 'channels', width: number): Column<Group> => ({
    key, title: t(TITLES[key.slice(0, -1) as By]), width, cell: (row) => <span title={row[key]}>{row[key] || <span class="quiet">–</span>}</span>,
  });
  return [
    { key: 'name', title: t(TITLES[by]), width: '3fr', cell: ({ name }) => <a class="object" tabIndex={-1} href={link.applications({ qmgr }, { by: 'connection', where: [`${by}=${name}`] })}>{name || t('applications.none')}</a> },
    { key: 'connections', title: t('column.connections'), width: 104, align: 'end', cell: ({ connections }) => count(connections) },
    list('applications', 176), list('users', 112), list('channels', 176),
    { key: 'addresses', title: t('column.addresses'), width: 88, align: 'end', help: t('applications.addressesHelp'), cell: ({ addresses }) => <Amount value={addresses} /> },
    { key: 'uncommitted', title: t('column.uncommitted'), width: 112, align: 'end', help: t('queues.uncommittedHelp'), cell: ({ uncommitted }) => <Amount value={uncommitted} /> },
    { key: 'unitSince', title: t('column.unitSince'), width: 108, align: 'end', largeFirst: false, help: t('applications.unitHelp'), cell: ({ unitSince, uncommitted }) => <UnitAge since={unitSince} warns={uncommitted > 0} /> },
    { key: 'open', title: t('column.open'), width: 80, align: 'end', cell: ({ open }) => <Amount value={open} /> },
    { key: 'puts', title: t('column.puts'), width: 76, align: 'end', cell: ({ puts }) => <Amount value={puts} /> },
    { key: 'gets', title: t('column.gets'), width: 76, align: 'end', cell: ({ gets }) => <Amount value={gets} /> },
    { key: 'first', title: t('column.first'), width: 104, align: 'end', cell: ({ first }) => <time title={moment(first)}>{clock(first)}</time> },
    { key: 'last', title: t('column.last'), width: 104, align: 'end', cell: ({ last }) => <time title={moment(last)}>{clock(last)}</time> },
    ...(may.value.change
      ? [{
        key: 'end', title: '', width: 64, sorts: false, text: () => '',
        cell: ({ name, members }: Group) => (
          <button type="button" class="link is-danger" tabIndex={-1} title={t('applications.endOf', { count: members.length, whose: name })} onClick={() => void proposeEnd(qmgr, members, name).then((isDone) => isDone && changed())}>
            {t('applications.endShort')}
          </button>
        ),
      } satisfies Column<Group>]
      : []),
  ];
}

/** After so many seconds an open unit of work is marked. */
const LONG = 60;

/** How long a unit of work has been open; one that holds messages for long is marked. */
export function UnitAge({ since, warns }: { since: number | null; warns: boolean }) {
  if (since === null) return <span class="quiet">–</span>;
  const isLong = warns && Date.now() / 1000 - since > LONG;
  return <time class={isLong ? 'is-warning' : undefined} title={moment(since)}>{age(since)}</time>;
}
