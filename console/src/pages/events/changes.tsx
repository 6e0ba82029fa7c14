// The last changes of definitions: who changed what, from which value to which, and the MQSC for it.

import { changes, type Change } from '../../api/server.ts';
import { Refused } from '../../api/request.ts';
import { clock, moment } from '../../format.ts';
import { type Column, List } from '../../grid/list.tsx';
import { localSource } from '../../grid/rows.ts';
import { useAsked } from '../../parts/asked.ts';
import { Code } from '../../parts/copy.tsx';
import { Drawer } from '../../parts/dialog.tsx';
import { Empty, Failed, Loading } from '../../parts/states.tsx';
import { route, setQuery } from '../../router.ts';
import { t } from '../../text.ts';
import { differences } from './differences.ts';
import { hrefOf } from './live-list.tsx';

const MOST = 500;

interface Row {
  key: string;
  at: string;
  user: string;
  what: string;
  type: string;
  name: string;
  changed: string;
  change: Change;
}

export function Changes({ qmgr }: { qmgr: string }) {
  const asked = useAsked(qmgr, async (signal) => (await changes(qmgr, { limit: MOST }, signal)).changes.map(rowOf));
  const rows = asked.answer;
  if (asked.error instanceof Refused && asked.error.status === 404) return <Empty title={t('events.noChanges')} />;
  if (!rows) return asked.error === undefined ? <Loading /> : <Failed error={asked.error} again={asked.again} />;
  const open = rows.find(({ key }) => key === route.value?.query.get('open'));
  return (
    <>
      <List<Row>
        name="changes" label={t('events.changes')} sourceKey={rows[0]?.key ?? ''} source={() => localSource(() => rows)} keyOf={({ key }) => key} columns={COLUMNS}
        shown={['at', 'user', 'what', 'type', 'name', 'changed']} always={[]} sort={['-at']} filters={[]} href={({ key }) => hrefOf(key)}
      />
      {open && <Details row={open} qmgr={qmgr} />}
    </>
  );
}

const COLUMNS: Column<Row>[] = [
  { key: 'at', title: t('events.at'), width: 112, cell: ({ at }) => <time title={moment(at)}>{clock(at)}</time> },
  { key: 'user', title: t('shell.user'), width: 112, cell: ({ user }) => user },
  { key: 'what', title: t('events.what'), width: 92, cell: ({ what }) => what },
  { key: 'type', title: t('column.type'), width: 112, cell: ({ type }) => type },
  { key: 'name', title: t('column.name'), width: '1fr', cell: ({ key, name }) => <a class="object" tabIndex={-1} href={hrefOf(key)} title={name}>{name}</a> },
  { key: 'changed', title: t('events.changed'), width: '2fr', sorts: false, cell: ({ changed }) => <span title={changed}>{changed}</span> },
];

function rowOf(change: Change, index: number): Row {
  const { at, user, what, object: { type, name }, before, after } = change;
  const changed = differences(before, after).map(({ name: one, from, to }) => `${one} ${from || '–'} → ${to || '–'}`).join(', ');
  return { key: `${at} ${type} ${name} ${index}`, at, user: user ?? '–', what, type, name, changed: isThere(before) && isThere(after) ? changed : (change.mqsc ?? ''), change };
}

/** A definition that is not there has no members. */
function isThere(members: Record<string, unknown> | null): boolean {
  return members !== null && Object.keys(members).length > 0;
}

function Details({ row: { change }, qmgr }: { row: Row; qmgr: string }) {
  const { at, user, what, object, mqsc } = change;
  const before = isThere(change.before);
  const after = isThere(change.after);
  const all = differences(change.before, change.after);
  return (
    <Drawer title={`${what} ${object.type} ${object.name}`} above={qmgr} onClose={() => setQuery({ open: undefined })}>
      <p class="quiet">{t('events.by', { user: user ?? '–', by: change.by ?? '–', time: moment(at) })}</p>
      {all.length > 0 && (
        <table class="plain-table">
          <thead><tr><th scope="col">{t('queue.property')}</th>{before && <th scope="col">{t('queue.from')}</th>}{after && <th scope="col">{before ? t('queue.to') : t('try.value')}</th>}</tr></thead>
          <tbody>
            {all.map(({ name, from, to }) => <tr key={name}><th scope="row"><code>{name}</code></th>{before && <td>{from || '–'}</td>}{after && <td>{to || '–'}</td>}</tr>)}
          </tbody>
        </table>
      )}
      {mqsc && <Code label={t('change.mqsc')} text={mqsc} />}
    </Drawer>
  );
}
