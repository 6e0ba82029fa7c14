// Who may do what: authority records, of everything or of one object. A row opens the form that changes it.

import { useMemo } from 'preact/hooks';
import { displayAll, quoted } from '../../api/mqsc.ts';
import { may } from '../../api/session.ts';
import { propose } from '../../change/change.ts';
import { type Column, List } from '../../grid/list.tsx';
import { type ListRows, localSource } from '../../grid/rows.ts';
import type { Selection } from '../../grid/selection.ts';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { addressWith } from '../../router.ts';
import type { Query } from '../../routes.ts';
import { t } from '../../text.ts';
import { type AuthorityRecord, nameOf, type ObjectType, wordsOf } from './words.ts';

interface Displayed {
  profile: string;
  entity: string;
  enttype: 'PRINCIPAL' | 'GROUP';
  objtype: ObjectType;
  authlist: string[];
}

/** A record with a member for each authority, by which the list can be sorted and filtered. */
export type RecordRow = AuthorityRecord & Record<`may${string}`, boolean>;

export interface RecordsProps {
  qmgr: string;
  turn: number;
  changed(): void;
  /** Records that count for this object alone. */
  object?: { type: ObjectType; name: string };
}

export function Records({ qmgr, turn, changed, object }: RecordsProps) {
  const source = useMemo(() => localSource<RecordRow>(async () => (await records(qmgr, object)).map(row)), [qmgr, turn, object?.name]);
  const columns = useMemo(() => (object ? matrix(object.type) : allColumns()), [object?.type]);
  const ticks = columns.map(({ key }) => key).filter((key) => key.startsWith('may') && !/^may(PASS|SET.)/.test(key));
  const shown = object ? ['entity', 'kind', 'profile', ...ticks] : ['entity', 'kind', 'type', 'profile', 'words'];
  return (
    <List<RecordRow>
      name={object ? `records.${object.type}` : 'records'} label={t('authority.records')} sourceKey={`${qmgr} ${turn} ${object?.name}`} source={() => source} keyOf={keyOf} columns={columns} shown={shown}
      always={[]} sort={['entity']} example="type=QUEUE" filters={['entity', 'kind', 'type', 'profile', 'words']} href={(record) => addressWith(queryOf(record))}
      {...(may.value.change
        ? { actions: (selection: Selection<RecordRow>, rows: ListRows<RecordRow>) => <Ticked qmgr={qmgr} selection={selection} rows={rows} changed={changed} /> }
        : {})}
    />
  );
}

/** What the address says of a record that is open. */
function queryOf({ profile, type, entity, kind, words }: AuthorityRecord): Query {
  return { open: 'grant', profile, objtype: type, entity, kind, has: words };
}

function Ticked({ qmgr, selection, rows, changed }: { qmgr: string; selection: Selection<RecordRow>; rows: ListRows<RecordRow>; changed(): void }) {
  async function remove(): Promise<void> {
    const chosen = selection.chosen().rows ?? (await rows.range(0, (rows.total.peek() ?? 0) - 1)).filter((one) => selection.has(one));
    const isDone = await propose({
      title: t('authority.removeTicked', { count: chosen.length }), qmgr, danger: true, apply: t('authority.remove'), done: t('authority.removedTicked', { count: chosen.length }),
      children: <p>{t('authority.removeHelp')}</p>, steps: chosen.map((record) => ({ mqsc: `DELETE AUTHREC ${nameOf(record, quoted)}` })),
    });
    if (isDone) changed();
  }
  return <Button kind="plain" icon="remove" onClick={() => void remove()}>{t('authority.remove')}</Button>;
}

async function records(qmgr: string, object: RecordsProps['object']): Promise<AuthorityRecord[]> {
  const parameters: Record<string, string> = object ? { objtype: object.type, ...(object.type === 'QMGR' ? {} : { profile: object.name }) } : {};
  const found = await displayAll<Displayed>(qmgr, 'authrec', { parameters });
  return found.map(({ profile, entity, enttype, objtype, authlist }) => ({ profile, type: objtype, entity, kind: enttype, words: only(objtype, authlist).join(', ') }));
}

/** An administrator's record lists every word there is; those that mean nothing for the type are left out. */
function only(type: ObjectType, words: readonly string[]): string[] {
  const { calls, commands } = wordsOf(type);
  return [...calls, ...commands].filter((word) => words.includes(word));
}

function row(record: AuthorityRecord): RecordRow {
  const words = record.words.split(', ');
  const { calls, commands } = wordsOf(record.type);
  return { ...record, ...Object.fromEntries([...calls, ...commands].map((word) => [`may${word}`, words.includes(word)])) } as RecordRow;
}

function keyOf({ type, profile, kind, entity }: AuthorityRecord): string {
  return `${type} ${profile} ${kind} ${entity}`;
}

/** The columns that every list of records has. */
function common() {
  const entity: Column<RecordRow> = { key: 'entity', title: t('column.entity'), width: '2fr', cell: (record) => record.entity };
  const kind: Column<RecordRow> = { key: 'kind', title: t('column.kind'), width: 76, cell: (record) => t(`authority.${record.kind}`) };
  const profile: Column<RecordRow> = { key: 'profile', title: t('column.profile'), width: '2fr', cell: (record) => <span class="object" title={record.profile}>{record.profile}</span> };
  const words: Column<RecordRow> = {
    key: 'words', title: t('column.words'), width: '5fr', cell: (record) => (record.words === '' ? <span class="quiet">{t('authority.nothing')}</span> : <span title={record.words}>{record.words}</span>),
  };
  return { entity, kind, profile, words };
}

function allColumns(): Column<RecordRow>[] {
  const { entity, kind, profile, words } = common();
  return [entity, kind, { key: 'type', title: t('column.type'), width: 152, cell: (record) => t(`objectType.${record.type}`) }, profile, words];
}

/** A column for each authority that objects of the type have. */
function matrix(type: ObjectType): Column<RecordRow>[] {
  const { entity, kind, profile, words } = common();
  const { calls, commands } = wordsOf(type);
  const ticks = [...calls, ...commands].map((word): Column<RecordRow> => ({
    key: `may${word}`, title: word, width: Math.max(48, 17 + word.length * 8), largeFirst: true,
    cell: (record) => (record[`may${word}`] ? <span role="img" aria-label={t('value.YES')}><Icon name="tick" /></span> : <span class="quiet" role="img" aria-label={t('value.NO')}>·</span>),
    text: (record) => (record[`may${word}`] ? word : ''),
  }));
  return [entity, kind, profile, ...ticks, words];
}
