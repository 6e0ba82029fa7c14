// One connection: who it is, what it has open and uncommitted, and a way to end it.

import { useMemo } from 'preact/hooks';
import { request } from '../api/request.ts';
import { may } from '../api/session.ts';
import { age, clock, count, moment } from '../format.ts';
import { type Column, List } from '../grid/list.tsx';
import { localSource } from '../grid/rows.ts';
import { objects } from '../grid/source.ts';
import type { PageProps } from '../pages.ts';
import { useAsked } from '../parts/asked.ts';
import { Button } from '../parts/button.tsx';
import { Figure } from '../parts/figures.tsx';
import { Empty, Failed, Loading } from '../parts/states.tsx';
import { go } from '../router.ts';
import { link } from '../routes.ts';
import { t } from '../text.ts';
import { CONNECTION_COLUMNS, type ConnectionRow } from './applications/connections.ts';
import { proposeEnd } from './applications/end.tsx';
import { factsOf, type Handle, handles } from './applications/handles.ts';

export default function ConnectionPage({ parameters: { qmgr = '', connection = '' } }: PageProps) {
  const asked = useAsked(`${qmgr} ${connection}`, async (signal) => {
    const query = { where: [`id=${connection}`], columns: CONNECTION_COLUMNS.join(','), limit: 1 };
    return objects<ConnectionRow>(await request('GET /api/v1/qmgr/{qmgr}/connections', { path: { qmgr }, query, signal }))[0] ?? null;
  });
  const facts = useAsked(asked.answer ? `${qmgr} ${connection} ${asked.answer.since}` : undefined, (signal) => factsOf(qmgr, connection, signal));
  const row = asked.answer;
  const name = row?.application ?? connection;
  return (
    <div class="list-page">
      <header class="page-head">
        <p class="crumbs"><a href={link.applications({ qmgr })}>{t('pages.applications')}</a></p>
        <div class="page-title">
          <h1 class="object">{name}</h1>
          <span class="page-actions">
            {row?.user && <a class="button secondary" href={link.authority({ qmgr }, { where: [`user=${row.user}`] })}>{t('applications.refusals')}</a>}
            <Button icon="refresh" onClick={asked.again}>{t('list.refresh')}</Button>
            {row && may.value.change && (
              <Button kind="danger" onClick={() => void proposeEnd(qmgr, [row], name).then((isDone) => isDone && go(link.applications({ qmgr })))}>{t('applications.endOne')}</Button>
            )}
          </span>
        </div>
      </header>
      {asked.error !== undefined && <Failed error={asked.error} again={asked.again} />}
      {!asked.answer && asked.isLoading && <Loading />}
      {row === null && <Empty title={t('applications.gone', { connection })} action={<a class="button secondary" href={link.applications({ qmgr })}>{t('pages.applications')}</a>} />}
      {row && <Figures row={row} />}
      {row && (
        <dl class="facts connection-facts">
          <Fact name={t('column.user')} value={row.user} href={row.user ? link.applications({ qmgr }, { by: 'connection', where: [`user=${row.user}`] }) : undefined} />
          <Fact name={t('column.channel')} value={row.channel} href={row.channel ? link.channel({ qmgr, channel: row.channel }) : undefined} />
          <Fact name={t('column.address')} value={row.address} />
          <Fact name={t('column.client')} value={row.client} />
          <Fact name={t('column.id')} value={row.id} />
          <Fact name={t('applications.pid')} value={facts.answer ? String(facts.answer.pid) : null} />
          {facts.answer?.clientid && <Fact name={t('applications.clientId')} value={facts.answer.clientid} />}
          {facts.answer?.appldesc && <Fact name={t('column.description')} value={facts.answer.appldesc} />}
        </dl>
      )}
      {row && <Handles qmgr={qmgr} connection={connection} turn={asked.answer} />}
    </div>
  );
}

function Figures({ row: { since, unitSince, uncommitted, open, puts, gets } }: { row: ConnectionRow }) {
  return (
    <dl class="figures">
      <Figure name={t('applications.connected')} note={moment(since)}>{age(since)}</Figure>
      <Figure name={t('column.unitSince')} note={unitSince === null ? undefined : t('applications.began', { time: clock(unitSince) })} warns={unitSince !== null && (uncommitted ?? 0) > 0 && Date.now() / 1000 - unitSince > 60}>
        {unitSince === null ? t('applications.noUnit') : age(unitSince)}
      </Figure>
      <Figure name={t('column.uncommitted')} warns={(uncommitted ?? 0) > 0}>{count(uncommitted)}</Figure>
      <Figure name={t('column.open')}>{count(open)}</Figure>
      <Figure name={t('column.puts')}>{count(puts)}</Figure>
      <Figure name={t('column.gets')}>{count(gets)}</Figure>
    </dl>
  );
}

function Fact({ name, value, href }: { name: string; value: string | null; href?: string | undefined }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value === null ? '–' : href ? <a href={href}>{value}</a> : value}</dd>
    </div>
  );
}

function Handles({ qmgr, connection, turn }: { qmgr: string; connection: string; turn: unknown }) {
  const source = useMemo(() => localSource<Handle>(() => handles(qmgr, { connection })), [qmgr, connection, turn]);
  const columns = useMemo(() => columnsOf(qmgr), [qmgr]);
  const key = useMemo(() => `${qmgr} ${connection} ${Date.now()}`, [qmgr, connection, turn]);
  return (
    <List<Handle>
      name="handles" label={t('applications.handles')} sourceKey={key} source={() => source} keyOf={(handle) => handle.key} columns={columns} shown={['object', 'type', 'options', 'isActive']} always={[]}
      sort={['type', 'object']} example="type=QUEUE" filters={['object', 'type', 'options']} {...{ href: ({ object, type }: Handle) => hrefOf(qmgr, type, object) ?? link.connection({ qmgr, connection }) }}
    />
  );
}

function columnsOf(qmgr: string): Column<Handle>[] {
  return [
    {
      key: 'object', title: t('column.object'), width: '3fr',
      cell: ({ object, type }) => {
        const href = hrefOf(qmgr, type, object);
        return object === '' ? <span class="quiet">{t('applications.unnamed')}</span> : href ? <a class="object" tabIndex={-1} href={href}>{object}</a> : object;
      },
    },
    { key: 'type', title: t('column.type'), width: 152, cell: ({ type }) => type.toLowerCase() },
    { key: 'options', title: t('column.options'), width: '3fr', cell: ({ options }) => <span class="mono">{options || '–'}</span> },
    { key: 'isActive', title: t('column.state'), width: 112, cell: ({ isActive }) => t(isActive ? 'applications.active' : 'applications.inactive') },
  ];
}

function hrefOf(qmgr: string, type: string, object: string): string | undefined {
  return type === 'QUEUE' && object !== '' ? link.queue({ qmgr, queue: object }) : undefined;
}
