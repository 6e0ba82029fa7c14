// A list of what is deployed: state, calls a second, times, errors; start, stop and remove what is ticked; deploy an archive.

import { useSignal } from '@preact/signals';
import { may } from '../../api/session.ts';
import { propose } from '../../change/change.ts';
import { clock, count, moment, percent, rate } from '../../format.ts';
import { type Column, List } from '../../grid/list.tsx';
import { type ListRows, localSource } from '../../grid/rows.ts';
import type { Selection } from '../../grid/selection.ts';
import { Button } from '../../parts/button.tsx';
import { t } from '../../text.ts';
import { Archive } from './archive.tsx';
import { type Kind, KINDS, remove, type Row, rowsOf, start, stop } from './kinds.ts';

/** Values of these lists do not come live. */
const AGAIN_MS = 10_000;

export function DeployedList({ kind }: { kind: Kind }) {
  const isDeploying = useSignal(false);
  /** Grows with each deployment: the list is asked for anew. */
  const turn = useSignal(0);
  const { list, href } = KINDS[kind];
  const mayChange = may.value.change && may.value.administer;
  const shown = ['name', 'state', ...(kind === 'requester' ? ['connection'] : []), 'rate', 'p50', 'p95', 'failed', 'lastError', 'description'];
  return (
    <div class="list-page">
      <header class="page-head">
        <h1>{t(`pages.${list}`)}</h1>
        <p class="quiet">{t(`deployed.${kind}About`)}</p>
      </header>
      <List<Row>
        name={list} label={t(`pages.${list}`)} sourceKey={kind} turn={turn.value} source={() => localSource(() => rowsOf(kind))} keyOf={({ name }) => name}
        columns={columnsFor(kind)} shown={shown} always={[]} sort={['name']} filters={[]} href={({ name }) => href(name)} every={AGAIN_MS}
        {...(mayChange ? { actions: (selection: Selection<Row>, rows: ListRows<Row>) => <Ticked kind={kind} selection={selection} rows={rows} /> } : {})}
        toolbar={mayChange && <Button kind="primary" icon="upload" onClick={() => (isDeploying.value = true)}>{t('deployed.deploy')}</Button>}
      />
      {isDeploying.value && (
        <Archive
          kind={kind} onClose={() => (isDeploying.value = false)}
          done={() => {
            turn.value += 1;
          }}
        />
      )}
    </div>
  );
}

function columnsFor(kind: Kind): Column<Row>[] {
  const { href } = KINDS[kind];
  const ms = (value: number | null) => (value === null ? <span class="quiet">–</span> : <>{value < 10 ? value.toFixed(1) : count(Math.round(value))} <span class="quiet">ms</span></>);
  return [
    { key: 'name', title: t('column.name'), width: '2fr', cell: ({ name }) => <a class="object" tabIndex={-1} href={href(name)} title={name}>{name}</a> },
    { key: 'state', title: t('deployed.state'), width: 104, cell: ({ state }) => <State state={state} /> },
    ...(kind === 'requester' ? [{ key: 'connection', title: t('deployed.connection'), width: 160, cell: ({ connection }: Row) => connection ?? '–' } as Column<Row>] : []),
    { key: 'rate', title: t('deployed.rate'), help: t('deployed.rateHelp'), width: 84, align: 'end', largeFirst: true, cell: (row) => (row.rate ? rate(row.rate) : <span class="quiet">{row.rate === null ? '–' : '0'}</span>) },
    { key: 'p50', title: t('deployed.p50'), help: t('deployed.p50Help'), width: 92, align: 'end', cell: ({ p50 }) => ms(p50) },
    { key: 'p95', title: t('deployed.p95'), help: t('deployed.p95Help'), width: 92, align: 'end', cell: ({ p95 }) => ms(p95) },
    { key: 'failed', title: t('deployed.failed'), help: t('deployed.failedHelp'), width: 84, align: 'end', largeFirst: true, cell: ({ failed }) => <span class={failed !== null && failed >= 5 ? 'is-warning' : 'quiet'}>{percent(failed)}</span> },
    { key: 'inFlight', title: t('deployed.inFlight'), width: 92, align: 'end', cell: ({ inFlight }) => count(inFlight) },
    { key: 'requests', title: t('deployed.requests'), help: t('deployed.requestsHelp'), width: 100, align: 'end', cell: ({ requests }) => count(requests) },
    { key: 'lastError', title: t('deployed.lastError'), width: 112, align: 'end', cell: ({ lastError }) => (lastError === null ? <span class="quiet">–</span> : <time title={moment(lastError)}>{clock(lastError)}</time>) },
    { key: 'version', title: t('deployed.version'), width: 84, cell: ({ version }) => version ?? '–' },
    { key: 'description', title: t('column.description'), width: '3fr', cell: ({ description }) => <span title={description}>{description}</span> },
  ];
}

export function State({ state }: { state: Row['state'] }) {
  if (state === null) return <span class="quiet">–</span>;
  return <span class={state === 'started' ? 'tag is-good' : 'tag is-warning'}>{t(`deployed.${state}`)}</span>;
}

function Ticked({ kind, selection, rows }: { kind: Kind; selection: Selection<Row>; rows: ListRows<Row> }) {
  async function change(what: 'start' | 'stop' | 'remove'): Promise<void> {
    const chosen = (await rows.range(0, (rows.total.peek() ?? 0) - 1)).filter((row) => selection.has(row));
    if (chosen.length === 0) return;
    const names = chosen.map(({ name }) => name);
    const steps = chosen.flatMap(({ name, state }) => (what === 'start' ? [start(kind, name)] : what === 'stop' ? [stop(kind, name)] : [...(state === 'started' ? [stop(kind, name)] : []), remove(kind, name)]));
    const isDone = await propose({
      title: t(`deployed.${what}Ticked`, { count: names.length }), qmgr: '', danger: what !== 'start', steps,
      children: <><p>{t(`deployed.${what}Text`, { count: names.length })}</p><p class="object">{names.join(', ')}</p></>,
      done: t(`deployed.${what}Done`, { count: names.length }),
    });
    if (!isDone) return;
    selection.clear();
    await rows.refresh();
  }
  return (
    <>
      <Button kind="plain" onClick={() => void change('start')}>{t('deployed.start')}</Button>
      <Button kind="plain" onClick={() => void change('stop')}>{t('deployed.stop')}</Button>
      <Button kind="plain" onClick={() => void change('remove')}>{t('deployed.remove')}</Button>
    </>
  );
}
