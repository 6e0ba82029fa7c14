// The tab Handles of a queue: who reads, browses and writes it, what each get waits for and why none comes, and who holds messages uncommitted.

import { useMemo } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import { request } from '../../api/request.ts';
import { may } from '../../api/session.ts';
import { age, moment } from '../../format.ts';
import { type Column, List } from '../../grid/list.tsx';
import { type ListRows, localSource } from '../../grid/rows.ts';
import type { Selection } from '../../grid/selection.ts';
import type { QueueTabProps } from '../../pages.ts';
import { useAsked } from '../../parts/asked.ts';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Failed } from '../../parts/states.tsx';
import { link } from '../../routes.ts';
import { t, textOf } from '../../text.ts';
import { proposeEnd } from '../applications/end.tsx';
import { UnitAge } from '../applications/groups.tsx';
import { type Handle, handles } from '../applications/handles.ts';

interface Wait {
  browses: boolean;
  because: string;
  text?: string;
  nearMisses?: { position: string; text: string }[];
}

interface Reader {
  application?: string;
  user?: string;
  selector?: string;
  text?: string;
  waits: Wait[];
}

interface Holder {
  application?: string;
  user?: string;
  put: number;
  got: number;
  since: string | null;
  text: string;
}

/** Waits and holders that are shown; the figures above say how many there are. */
const MOST = 20;

export default function QueueHandles({ qmgr, row, changed }: QueueTabProps) {
  const turn = useSignal(0);
  const again = () => {
    turn.value += 1;
    changed();
  };
  return (
    <>
      {row.type === 'local' && <Insight key={row.name} qmgr={qmgr} queue={row.name} turn={turn.value} />}
      <HandleList qmgr={qmgr} queue={row.name} turn={turn.value} again={again} />
    </>
  );
}

function Insight({ qmgr, queue, turn }: { qmgr: string; queue: string; turn: number }) {
  const asked = useAsked(`${qmgr} ${queue} ${turn}`, (signal) => request('GET /api/v1/qmgr/{qmgr}/why/get', { path: { qmgr }, query: { queue }, signal }));
  if (asked.error !== undefined) return <Failed error={asked.error} again={asked.again} />;
  if (!asked.answer) return null;
  const { text, inhibited = [] } = asked.answer;
  const waits = (asked.answer.readers as unknown as Reader[]).flatMap((reader) => reader.waits.map((wait) => ({ reader, wait })));
  const holders = asked.answer.holders as unknown as Holder[];
  return (
    <section class="insight" aria-label={t('handles.why')}>
      <p class="insight-text">{text}.</p>
      {inhibited.length > 0 && <p class="is-warning">{t('handles.inhibited', { queues: inhibited.join(', ') })}</p>}
      {(waits.length > 0 || holders.length > 0) && (
        <ul class="insight-list">
          {alike(waits).slice(0, MOST).map(({ count, reader, wait }) => (
            <li key={`${reader.application} ${reader.user} ${wait.because} ${wait.text}`}>
              <Icon name={wait.because === 'empty' ? 'note' : 'warning'} class={wait.because === 'empty' ? 'quiet' : 'is-warning'} />
              <div>
                <p>{t('handles.waits', { count, application: reader.application ?? '?', user: reader.user ?? '?' })} {wait.text ?? textOf(`because.${wait.because}`) ?? wait.because}.</p>
                {reader.selector && <p class="quiet">{t('handles.selector', { selector: reader.selector })}</p>}
                {wait.nearMisses?.map((miss) => <p key={miss.position} class="quiet">{t('handles.nearMiss', { text: miss.text })}</p>)}
              </div>
            </li>
          ))}
          {holders.slice(0, MOST).map((holder, index) => (
            <li key={index}>
              <Icon name="note" class="is-note" />
              <p>
                {t('handles.holds', { put: holder.put, got: holder.got })} {holder.application ? t('handles.by', { application: holder.application, user: holder.user ?? '?' }) : holder.text}
                {holder.since && <time class="quiet" title={moment(holder.since)}>, {t('handles.for', { span: age(holder.since) })}</time>}.
              </p>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

interface Waiting {
  reader: Reader;
  wait: Wait;
}

/** Waits of one program that have the same cause, once. */
function alike(waits: readonly Waiting[]): (Waiting & { count: number })[] {
  const found = new Map<string, Waiting & { count: number }>();
  for (const { reader, wait } of waits) {
    const key = JSON.stringify([reader.application, reader.user, wait]);
    const known = found.get(key);
    if (known) known.count += 1;
    else found.set(key, { reader, wait, count: 1 });
  }
  return [...found.values()];
}

function HandleList({ qmgr, queue, turn, again }: { qmgr: string; queue: string; turn: number; again(): void }) {
  const source = useMemo(() => localSource<Handle>(() => handles(qmgr, { object: queue })), [qmgr, queue, turn]);
  const columns = useMemo(() => columnsOf(qmgr, again), [qmgr]);
  return (
    <List<Handle>
      name="queueHandles" label={t('queue.handles')} sourceKey={`${qmgr} ${queue} ${turn}`} source={() => source} keyOf={(handle) => handle.key} columns={columns}
      shown={['application', 'user', 'reads', 'browses', 'writes', 'channel', 'address', 'unitSince', 'end']} always={[]} sort={['application']} example="user=app" filters={['application', 'user', 'channel', 'address', 'options']}
      quick={[{ name: t('handles.readers'), where: 'reads=true' }, { name: t('handles.writers'), where: 'writes=true' }]}
      href={({ id }) => link.connection({ qmgr, connection: id })} toolbar={<Button icon="refresh" onClick={again}>{t('list.refresh')}</Button>}
      {...(may.value.change ? { actions: (selection: Selection<Handle>, rows: ListRows<Handle>) => <Ticked qmgr={qmgr} selection={selection} rows={rows} again={again} /> } : {})}
    />
  );
}

function Ticked({ qmgr, selection, rows, again }: { qmgr: string; selection: Selection<Handle>; rows: ListRows<Handle>; again(): void }) {
  async function end(): Promise<void> {
    const chosen = selection.chosen().rows ?? (await rows.range(0, (rows.total.peek() ?? 0) - 1)).filter((one) => selection.has(one));
    if (await endOf(qmgr, chosen)) again();
  }
  return <Button kind="plain" icon="close" onClick={() => void end()}>{t('applications.end')}</Button>;
}

/** Ends the connections of handles, each once. */
function endOf(qmgr: string, chosen: readonly Handle[]): Promise<boolean> {
  const connections = [...new Map(chosen.map((handle) => [handle.id, { ...handle, uncommitted: null }])).values()];
  return proposeEnd(qmgr, connections, [...new Set(chosen.map(({ application }) => application))].join(', '));
}

function columnsOf(qmgr: string, again: () => void): Column<Handle>[] {
  const mark = (key: 'reads' | 'browses' | 'writes', title: string): Column<Handle> => ({
    key, title, width: 84, largeFirst: true, text: (handle) => (handle[key] ? title : ''),
    cell: (handle) => (handle[key] ? <span role="img" aria-label={t('value.YES')}><Icon name="tick" /></span> : <span class="quiet" role="img" aria-label={t('value.NO')}>·</span>),
  });
  return [
    { key: 'application', title: t('column.application'), width: '3fr', cell: ({ id, application }) => <a class="object" tabIndex={-1} href={link.connection({ qmgr, connection: id })}>{application}</a> },
    { key: 'user', title: t('column.user'), width: 120, cell: ({ user }) => user },
    mark('reads', t('handles.reads')), mark('browses', t('handles.browses')), mark('writes', t('handles.writes')),
    { key: 'channel', title: t('column.channel'), width: 176, cell: ({ channel }) => channel ?? <span class="quiet">–</span> },
    { key: 'address', title: t('column.address'), width: 120, cell: ({ address }) => address ?? <span class="quiet">–</span> },
    { key: 'unitSince', title: t('column.unitSince'), width: 108, align: 'end', largeFirst: false, help: t('applications.unitHelp'), cell: ({ unitSince }) => <UnitAge since={unitSince} warns /> },
    { key: 'options', title: t('column.options'), width: '2fr', cell: ({ options }) => <span class="mono" title={options}>{options}</span> },
    ...(may.value.change
      ? [{
        key: 'end', title: '', width: 64, sorts: false, text: () => '',
        cell: (handle: Handle) => <button type="button" class="link is-danger" tabIndex={-1} title={t('applications.endOf', { count: 1, whose: handle.application })} onClick={() => void endOf(qmgr, [handle]).then((isDone) => isDone && again())}>{t('applications.endShort')}</button>,
      } satisfies Column<Handle>]
      : []),
  ];
}
