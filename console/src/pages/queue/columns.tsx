// The columns of lists of queues.

import type { Column } from '../../grid/grid.tsx';
import { age, bytes, clock, count, moment, percent, rate } from '../../format.ts';
import { t } from '../../text.ts';
import { link } from '../../routes.ts';
import { level, type QueueRow } from './row.ts';

type QueueColumn = Column<QueueRow> & { needs?: readonly string[] };

/** In a group also where each queue is. */
export function queueColumns(qmgr: string, isInGroup = false): QueueColumn[] {
  const [name, type, ...others] = allColumns(qmgr);
  if (!name || !type) return [];
  return [name, type, ...(isInGroup ? GROUP_COLUMNS : []), ...others];
}

const GROUP_COLUMNS: readonly QueueColumn[] = [
  {
    key: 'structure', title: t('column.structure'), help: t('queues.structureHelp'), width: 112, needs: ['structure', 'disposition'],
    cell: ({ structure, disposition }) => structure ?? <Quiet>{disposition === 'shared' ? '?' : '–'}</Quiet>, text: ({ structure }) => structure ?? '',
  },
  { key: 'disposition', title: t('column.disposition'), help: t('queues.dispositionHelp'), width: 108, cell: ({ disposition }) => disposition ?? <Quiet>–</Quiet> },
];

function allColumns(qmgr: string): QueueColumn[] {
  return [
    {
      key: 'name', title: t('column.name'), width: '3fr', needs: ['name', 'putEnabled', 'getEnabled'],
      cell: ({ name, putEnabled, getEnabled }) => (
        <span class="queue-name">
          <a class="object" tabIndex={-1} href={link.queue({ qmgr, queue: name })} title={name}>{name}</a>
          {putEnabled === false && <span class="tag is-warning" title={t('queues.putOffHelp')}>{t('queues.putOff')}</span>}
          {getEnabled === false && <span class="tag is-warning" title={t('queues.getOffHelp')}>{t('queues.getOff')}</span>}
        </span>
      ),
    },
    { key: 'type', title: t('column.type'), width: 84, cell: ({ type }) => type },
    {
      key: 'depth', title: t('column.depth'), width: 84, align: 'end', needs: ['name', 'depth'],
      cell: ({ name, depth }) => (depth
        ? <a class="depth" tabIndex={-1} href={link.queueMessages({ qmgr, queue: name })} title={t('queue.seeMessages')}>{count(depth)}</a>
        : <Amount value={depth} />),
      text: ({ depth }) => String(depth ?? ''),
    },
    {
      key: 'full', title: t('column.full'), help: t('queues.fullHelp'), width: 128, largeFirst: true, needs: ['depth', 'max', 'full'],
      cell: (row) => <Fill full={row.full} depth={row.depth} max={row.max} />,
    },
    { key: 'in', title: t('column.in'), help: t('queues.inHelp'), width: 68, align: 'end', cell: (row) => <Rate value={row.in} /> },
    { key: 'out', title: t('column.out'), help: t('queues.outHelp'), width: 68, align: 'end', cell: ({ out }) => <Rate value={out} /> },
    {
      key: 'oldest', title: t('column.oldest'), help: t('queues.oldestHelp'), width: 100, align: 'end', largeFirst: false,
      cell: ({ oldest }) => (oldest === null ? <Quiet>–</Quiet> : <time title={moment(oldest)}>{age(oldest)}</time>),
    },
    { key: 'readers', title: t('column.readers'), help: t('queues.readersHelp'), width: 80, align: 'end', cell: (row) => <Readers row={row} />, needs: ['readers', 'depth'] },
    { key: 'writers', title: t('column.writers'), help: t('queues.writersHelp'), width: 76, align: 'end', cell: ({ writers }) => <Amount value={writers} /> },
    { key: 'waiting', title: t('column.waiting'), help: t('queues.waitingHelp'), width: 80, align: 'end', cell: ({ waiting }) => <Amount value={waiting} /> },
    { key: 'uncommitted', title: t('column.uncommitted'), help: t('queues.uncommittedHelp'), width: 112, align: 'end', cell: ({ uncommitted }) => <Amount value={uncommitted} /> },
    { key: 'bytes', title: t('column.bytes'), width: 92, align: 'end', cell: (row) => (row.bytes ? bytes(row.bytes) : <Quiet>{row.bytes === null ? '–' : '0'}</Quiet>) },
    { key: 'max', title: t('column.max'), width: 104, align: 'end', cell: ({ max }) => count(max) },
    { key: 'lastPut', title: t('column.lastPut'), width: 112, align: 'end', cell: ({ lastPut }) => <Time at={lastPut} /> },
    { key: 'lastGet', title: t('column.lastGet'), width: 112, align: 'end', cell: ({ lastGet }) => <Time at={lastGet} /> },
    { key: 'usage', title: t('column.usage'), width: 104, cell: ({ usage }) => usage ?? <Quiet>–</Quiet> },
    { key: 'target', title: t('column.target'), width: '2fr', cell: ({ target }) => target ?? <Quiet>–</Quiet> },
    { key: 'description', title: t('column.description'), width: '3fr', cell: ({ description }) => <span title={description}>{description}</span> },
  ];
}

function Quiet({ children }: { children: string }) {
  return <span class="quiet">{children}</span>;
}

/** A number; zero and what does not apply are quiet, so that the eye finds the others. */
export function Amount({ value }: { value: number | null }) {
  return value ? <>{count(value)}</> : <Quiet>{value === null ? '–' : '0'}</Quiet>;
}

function Rate({ value }: { value: number | null }) {
  return value ? <>{rate(value)}</> : <Quiet>{value === null ? '–' : '0'}</Quiet>;
}

function Time({ at }: { at: number | null }) {
  return at === null ? <Quiet>–</Quiet> : <time title={moment(at)}>{clock(at)}</time>;
}

function Readers({ row: { readers, depth } }: { row: QueueRow }) {
  if (readers === 0 && (depth ?? 0) > 0) return <span class="is-warning" title={t('queues.noReader')}>0</span>;
  return <Amount value={readers} />;
}

/** A bar of how full a queue is, with the share as text. */
export function Fill({ full, depth, max }: { full: number | null; depth: number | null; max: number | null }) {
  if (full === null) return <Quiet>–</Quiet>;
  return (
    <span class={`fill is-${level(full)}`} title={t('queues.depthOf', { depth: depth ?? 0, max: max ?? 0 })}>
      <span class="fill-track"><span class="fill-bar" style={{ transform: `scaleX(${Math.min(1, Math.max(full > 0 ? 0.02 : 0, full / 100))})` }} /></span>
      <span class="fill-text">{percent(full)}</span>
    </span>
  );
}
