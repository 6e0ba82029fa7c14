// The last refusals of a queue manager: calls that ended with 2035, and clients that a channel refused. A row leads to its explanation.

import { useMemo } from 'preact/hooks';
import { may } from '../../api/session.ts';
import { clock, inMs, moment } from '../../format.ts';
import { type Column, List } from '../../grid/list.tsx';
import { localSource } from '../../grid/rows.ts';
import { addressWith } from '../../router.ts';
import { t, textOf } from '../../text.ts';
import { NO_QUESTION, type Refusal, refusals, type RefusedClient, refusedClients, questionOfRefusal } from './answers.ts';
import { proposeRemedy } from './explain.tsx';

export interface CallRow {
  key: string;
  at: number;
  count: number;
  user: string;
  object: string | null;
  type: string | null;
  lacks: string | null;
  application: string | null;
  channel: string | null;
  address: string | null;
  cause: string;
  refusal: Refusal;
}

export interface ClientRow {
  key: string;
  at: number;
  count: number;
  user: string | null;
  channel: string | null;
  address: string | null;
  cause: string;
}

const when = () => ({ key: 'at', title: t('column.at'), width: 92, align: 'end', cell: ({ at }: { at: number }) => <time title={moment(at)}>{clock(at)}</time> }) as const;
const often = () => ({ key: 'count', title: t('column.count'), width: 72, align: 'end', help: t('authority.countHelp'), cell: ({ count }: { count: number }) => count }) as const;
const NO = <span class="quiet">–</span>;

const callColumns = (qmgr: string, changed: () => void): Column<CallRow>[] => [
  when(), often(),
  { key: 'user', title: t('column.user'), width: 112, cell: ({ user }) => user },
  { key: 'object', title: t('column.object'), width: '2fr', cell: ({ object, type }) => (object === null ? <span class="quiet">{t('authority.connecting')}</span> : <span title={`${type} ${object}`}>{object} <span class="quiet">{textOf(`objectType.${type}`)}</span></span>) },
  { key: 'lacks', title: t('column.lacks'), width: 104, cell: ({ lacks }) => (lacks === null ? NO : <span class="is-error">{lacks}</span>) },
  { key: 'application', title: t('column.application'), width: 148, cell: ({ application }) => application ?? NO },
  { key: 'channel', title: t('column.channel'), width: 168, cell: ({ channel }) => channel ?? NO },
  { key: 'address', title: t('column.address'), width: 120, cell: ({ address }) => address ?? NO },
  { key: 'cause', title: t('column.cause'), width: '3fr', sorts: false, cell: ({ cause }) => <span title={cause}>{cause}</span> },
  ...(may.value.change
    ? [{
      key: 'grant', title: '', width: 68, sorts: false, text: () => '',
      cell: ({ refusal: { remedy: [least] = [] } }: CallRow) =>
        least && <button type="button" class="link" tabIndex={-1} title={least.mqsc.join('\n')} onClick={() => void proposeRemedy(qmgr, least).then((isDone) => isDone && changed())}>{t('authority.allow')}</button>,
    } satisfies Column<CallRow>]
    : []),
];

const clientColumns = (): Column<ClientRow>[] => [
  when(), often(),
  { key: 'user', title: t('column.user'), width: 132, cell: ({ user }) => user ?? NO },
  { key: 'channel', title: t('column.channel'), width: 188, cell: ({ channel }) => channel ?? NO },
  { key: 'address', title: t('column.address'), width: 132, cell: ({ address }) => address ?? NO },
  { key: 'cause', title: t('column.cause'), width: '3fr', sorts: false, cell: ({ cause }) => <span title={cause}>{cause}</span> },
];

export function RefusedCalls({ qmgr, turn, object, changed }: { qmgr: string; turn: number; object?: { type: string; name: string }; changed(): void }) {
  const columns = useMemo(() => callColumns(qmgr, changed), [qmgr]);
  const source = useMemo(
    () => localSource<CallRow>(async () => (await refusals(qmgr)).filter((one) => !object || (one.object?.type === object.type && one.object.name === object.name)).map(callRow)),
    [qmgr, turn, object?.name],
  );
  return (
    <List<CallRow>
      name="refusals" label={t('authority.calls')} sourceKey={`${qmgr} ${turn} ${object?.name}`} source={() => source} keyOf={({ key }) => key} columns={columns}
      shown={['at', 'count', 'user', 'object', 'lacks', 'application', 'channel', 'cause', 'grant']} always={[]} sort={['-at']} example="user=app" filters={['user', 'object', 'type', 'lacks', 'application', 'channel', 'address', 'count']}
      href={({ refusal }) => addressWith({ ...NO_QUESTION, ...questionOfRefusal(refusal) })}
    />
  );
}

export function RefusedClients({ qmgr, turn, channel }: { qmgr: string; turn: number; channel?: string }) {
  const columns = useMemo(clientColumns, []);
  const source = useMemo(
    () => localSource<ClientRow>(async () => (await refusedClients(qmgr)).filter((one) => channel === undefined || one.channel === channel).map(clientRow)),
    [qmgr, turn, channel],
  );
  return (
    <List<ClientRow>
      name="refusedClients" label={t('authority.clients')} sourceKey={`${qmgr} ${turn} ${channel}`} source={() => source} keyOf={({ key }) => key} columns={columns}
      shown={['at', 'count', 'user', 'channel', 'address', 'cause']} always={[]} sort={['-at']} example="user=app" filters={['user', 'channel', 'address', 'count']}
      href={({ channel: name, user, address }) =>
        addressWith({ ...NO_QUESTION, name: name ?? undefined, user: user ?? undefined, address: address ?? undefined, authenticated: 'true' })
      }
    />
  );
}

function callRow(refusal: Refusal): CallRow {
  const { at, count, user, object, lacks, by, application, channel, address, cause } = refusal;
  return {
    key: JSON.stringify([user, object, lacks, application, channel, address, by]), at: seconds(at), count, user, object: object?.name ?? null, type: object?.type ?? null, lacks: lacks?.join(',') ?? null,
    application: application ?? null, channel: channel ?? null, address: address ?? null, cause, refusal,
  };
}

function clientRow({ at, count, user, channel, address, cause }: RefusedClient): ClientRow {
  return { key: JSON.stringify([user, channel, address, cause]), at: seconds(at), count, user: user ?? null, channel: channel ?? null, address: address ?? null, cause };
}

function seconds(at: string): number {
  return (inMs(at) ?? 0) / 1000;
}
