// The lines of the server's log: the last ones, and those that come. A line has its fields at the side.

import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { liveState, onLive, watch } from '../../api/live.ts';
import { Refused, problemIn } from '../../api/request.ts';
import { log, type LogLine } from '../../api/server.ts';
import { clock, moment } from '../../format.ts';
import type { Column } from '../../grid/list.tsx';
import { Code } from '../../parts/copy.tsx';
import { Empty, Failed } from '../../parts/states.tsx';
import { route, setQuery } from '../../router.ts';
import { t } from '../../text.ts';
import { hrefOf, LiveList } from './live-list.tsx';
import { Ring } from './ring.ts';

const MOST = 4000;
const FIRST = 1000;
/** Without a stream. */
const POLL_MS = 5000;
const LEVELS = ['error', 'warn', 'info', 'debug', 'trace'] as const;
const keyOf = ({ number }: LogLine) => String(number);

export function ServerLog() {
  const ring = useMemo(() => new Ring<LogLine>(MOST, keyOf), []);
  const failure = useSignal<unknown>(undefined);
  const level = route.value?.query.get('level') ?? 'trace';
  const fits = (line: LogLine) => LEVELS.indexOf(line.level as never) <= LEVELS.indexOf(level as never);
  const columns: Column<LogLine>[] = [
    { key: 'at', title: t('events.at'), width: 112, cell: ({ at }) => <time title={moment(at)}>{clock(at)}</time> },
    { key: 'level', title: t('events.level'), width: 76, cell: ({ level: one }) => <span class={`level is-${one}`}>{one}</span> },
    { key: 'text', title: t('events.text'), width: '3fr', cell: (line) => <a class="object" tabIndex={-1} href={hrefOf(keyOf(line))} title={line.text}>{line.text}</a> },
    { key: 'fields', title: t('events.fields'), width: '2fr', sorts: false, cell: ({ fields }) => <span class="quiet" title={fieldsText(fields)}>{fieldsText(fields)}</span>, text: ({ fields }) => fieldsText(fields) },
  ];

  function listen(add: (lines: readonly LogLine[]) => void): () => void {
    const stop = new AbortController();
    let next = 0;
    async function ask(query: { after?: number; limit: number }): Promise<void> {
      try {
        const answer = await log(query, stop.signal);
        next = answer.next ?? answer.lines.at(-1)?.number ?? next;
        add(answer.lines);
        failure.value = undefined;
      } catch (error) {
        if (!stop.signal.aborted) failure.value = error;
      }
    }
    void ask({ limit: FIRST });
    const watching = watch({ log: true });
    const ends = [onLive('log', (line) => add([line])), onLive('reload', () => void ask({ after: next, limit: FIRST }))];
    const timer = setInterval(() => {
      if (!document.hidden && liveState.peek() !== 'live') void ask({ after: next, limit: FIRST });
    }, POLL_MS);
    return () => {
      stop.abort();
      clearInterval(timer);
      watching.end();
      for (const end of ends) end();
    };
  }

  if (failure.value instanceof Refused && problemIn(failure.value).status === 404) return <Empty title={t('events.noLog')} />;
  return (
    <>
      {failure.value !== undefined && <Failed error={failure.value} />}
      <LiveList<LogLine>
        name="log" label={t('events.log')} ring={ring} keyOf={keyOf} columns={columns} shown={['at', 'level', 'text', 'fields']} sort={['-number']} chosen={level} fits={fits} listen={listen}
        toolbar={
          <label class="inline-field">
            <span>{t('events.level')}</span>
            <select value={level} onChange={(event) => setQuery({ level: event.currentTarget.value === 'trace' ? undefined : event.currentTarget.value })}>
              {LEVELS.map((one) => <option key={one} value={one}>{one === 'trace' ? t('events.allLevels') : one === 'error' ? one : t('events.upTo', { level: one })}</option>)}
            </select>
          </label>
        }
        title={({ number }) => t('events.line', { number: String(number) })}
        details={(line) => (
          <>
            <p class="log-text">{line.text}</p>
            <dl class="facts is-lines">
              <div><dt>{t('events.at')}</dt><dd>{moment(line.at)}</dd></div>
              <div><dt>{t('events.level')}</dt><dd>{line.level}</dd></div>
              {Object.entries(line.fields).map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{typeof value === 'string' ? value : JSON.stringify(value)}</dd></div>)}
            </dl>
            <Code label={t('deployed.json')} text={JSON.stringify(line, null, 2)} />
          </>
        )}
      />
    </>
  );
}

function fieldsText(fields: Record<string, unknown>): string {
  return Object.entries(fields).map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`).join(' ');
}
