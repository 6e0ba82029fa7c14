// Event messages of the queue manager, from the moment the page is opened on.

import { onLive, watch } from '../../api/live.ts';
import { clock, moment } from '../../format.ts';
import type { Column } from '../../grid/list.tsx';
import { link } from '../../routes.ts';
import { t } from '../../text.ts';
import { hrefOf, LiveList } from './live-list.tsx';
import { Ring } from './ring.ts';

interface EventRow {
  number: number;
  at: string;
  reason: string;
  queue: string;
  about: string;
  parameters: Record<string, unknown>;
}

const MOST = 1000;
const keyOf = ({ number }: EventRow) => String(number);
/** Kept while the console is open: going to another page loses none that came. */
const rings = new Map<string, Ring<EventRow>>();
let last = 0;

export function EventMessages({ qmgr }: { qmgr: string }) {
  const ring = rings.get(qmgr) ?? new Ring<EventRow>(MOST, keyOf);
  rings.set(qmgr, ring);
  const columns: Column<EventRow>[] = [
    { key: 'at', title: t('events.at'), width: 112, cell: ({ at }) => <time title={moment(at)}>{clock(at)}</time> },
    { key: 'reason', title: t('events.reason'), width: 220, cell: ({ number, reason }) => <a class="object" tabIndex={-1} href={hrefOf(String(number))} title={reason}>{reason}</a> },
    { key: 'about', title: t('events.about'), width: '2fr', cell: ({ about }) => <span title={about}>{about}</span> },
    { key: 'queue', title: t('events.queue'), width: '1fr', cell: ({ queue }) => <span title={queue}>{queue}</span> },
  ];
  return (
    <>
      <p class="quiet">{t('events.messagesAbout')}</p>
      <LiveList<EventRow>
        name="events" label={t('events.messages')} ring={ring} keyOf={keyOf} columns={columns} shown={['at', 'reason', 'about', 'queue']} sort={['-number']}
        listen={(add) => {
          const watching = watch({ events: true });
          const end = onLive('event', (event) => {
            if (event.qmgr === qmgr) add([rowOf(event)]);
          });
          return () => {
            watching.end();
            end();
          };
        }}
        title={({ reason }) => reason}
        details={({ at, queue, parameters }) => (
          <>
            <dl class="facts is-lines">
              <div><dt>{t('events.at')}</dt><dd>{moment(at)}</dd></div>
              <div><dt>{t('events.queue')}</dt><dd><a href={link.queue({ qmgr, queue })}>{queue}</a></dd></div>
              {Object.entries(parameters).filter(isNamed).map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{text(value)}</dd></div>)}
            </dl>
            <Others parameters={Object.entries(parameters).filter((one) => !isNamed(one))} />
          </>
        )}
      />
    </>
  );
}

/** Parameters of which the server has no name. */
function Others({ parameters }: { parameters: readonly [string, unknown][] }) {
  if (parameters.length === 0) return null;
  return (
    <details>
      <summary>{t('events.others', { count: parameters.length })}</summary>
      <dl class="facts is-lines">{parameters.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{text(value)}</dd></div>)}</dl>
    </details>
  );
}

function isNamed([name]: [string, unknown]): boolean {
  return !/^\d+$/.test(name);
}

function rowOf({ queue, at, reason, parameters }: { queue: string; at?: string; reason: { code: number; name: string | null }; parameters: Record<string, unknown> }): EventRow {
  last += 1;
  const { queueManagerName: _, ...others } = parameters;
  return {
    number: last, at: at ?? new Date().toISOString(), queue, parameters,
    reason: reason.name ? `${reason.code} ${reason.name.replace(/^MQRC_/, '')}` : String(reason.code),
    about: Object.entries(others).filter(isNamed).map(([name, value]) => `${name} ${text(value)}`).join(', '),
  };
}

function text(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}
