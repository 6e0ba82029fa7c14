// Server: its state and version, the queue managers with their recovery logs and listeners, certificates, connection pools, and what is wrong.

import { displayAll } from '../api/mqsc.ts';
import { type Operation, request } from '../api/request.ts';
import { may, session } from '../api/session.ts';
import { age, bytes, clock, count, moment, span } from '../format.ts';
import { useAsked } from '../parts/asked.ts';
import { Failed, Loading } from '../parts/states.tsx';
import { link } from '../routes.ts';
import { t } from '../text.ts';
import { Facts } from './deployed/page.tsx';
import { Problems } from './now/problems.tsx';
import { metrics, type Pool, type Certificate, type RecoveryLog } from './server/metrics.ts';

/** Problems of these objects have pages of their own. */
const ELSEWHERE = new Set(['queue', 'channel', 'connection', 'application', 'user', 'client', 'service', 'api', 'requester', 'topic']);

export default function ServerPage() {
  const { user = '', method = '', roles = [], ends = null, version = '', qmgrs = [] } = session.value ?? {};
  const health = useAsked('health', async (signal) => ({ live: await isGood('/livez', signal), ready: await isGood('/readyz', signal), at: new Date().toISOString() }));
  const seen = useAsked('metrics', (signal) => metrics(signal));
  const first = (qmgrs.find(({ isDefault }) => isDefault) ?? qmgrs[0])?.name;
  const troubles = useAsked(may.value.administer ? first : undefined, async (signal) => {
    const { problems } = await request('GET /api/v1/qmgr/{qmgr}/problems', { path: { qmgr: first ?? '' }, signal });
    return problems.filter(({ object }) => !ELSEWHERE.has(object.type));
  });
  const shown = typeof seen.answer === 'object' ? seen.answer : undefined;
  const logs = shown?.logs ?? [];
  return (
    <div class="overview server">
      <header class="page-head">
        <h1>{t('pages.server')}</h1>
      </header>
      <Facts
        facts={[
          [t('server.state'), health.answer && <span class={health.answer.ready ? 'is-good' : 'is-error'}>{t(health.answer.ready ? 'server.ready' : health.answer.live ? 'server.notReady' : 'server.notLive')}</span>],
          [t('shell.version'), version],
          [t('server.signedIn'), `${user} (${roles.join(', ')})`],
          [t('shell.method'), method],
          [t('shell.ends'), ends === null ? undefined : moment(ends)],
        ]}
      />
      {troubles.answer && troubles.answer.length > 0 && (
        <section aria-labelledby="server-problems">
          <h2 id="server-problems">{t('queue.problems')}</h2>
          <Problems qmgr={first ?? ''} problems={troubles.answer} changed={troubles.again} />
        </section>
      )}
      <section aria-labelledby="server-qmgrs">
        <h2 id="server-qmgrs">{t('server.qmgrs')}</h2>
        <div class="qmgr-cards">
          {qmgrs.map((one) => <QueueManager key={one.name} {...one} log={logs.find(({ qmgr }) => qmgr === one.name)} />)}
        </div>
      </section>
      {seen.isLoading && <Loading />}
      {shown && <Certificates certificates={shown.certificates} />}
      {shown && <Pools pools={shown.pools} />}
      {seen.answer === 'none' && <p class="quiet">{t('server.noMetrics')}</p>}
      {seen.answer === 'long' && <p class="quiet">{t('server.longMetrics')}</p>}
    </div>
  );
}

async function isGood(address: string, signal: AbortSignal): Promise<boolean> {
  return (await fetch(address, { signal, cache: 'no-store' })).ok;
}

interface QueueManagerProps {
  name: string;
  state: string;
  isDefault: boolean;
  deadLetterQueue: string | null;
  log: RecoveryLog | undefined;
}

/** One queue manager: what it says of itself, its recovery log, and where it listens. */
function QueueManager({ name, state, isDefault, deadLetterQueue, log }: QueueManagerProps) {
  const asked = useAsked(state === 'running' ? name : undefined, async (signal) => {
    const [status, listeners, details] = await Promise.all([
      displayAll(name, 'qmstatus', { signal }), displayAll(name, 'lsstatus', { name: '*', signal }),
      request('GET /ibmmq/rest/v3/admin/qmgr/{qmgr}?status=*' as Operation, { path: { qmgr: name }, signal } as never) as Promise<{ qmgr?: { status?: { started?: string } }[] }>,
    ]);
    return { status: status[0] ?? {}, listeners, started: details.qmgr?.[0]?.status?.started };
  });
  const { status = {}, listeners = [], started } = asked.answer ?? {};
  return (
    <article class="qmgr-card" aria-label={name}>
      <h3><a class="object" href={link.now({ qmgr: name })}>{name}</a> <span class={state === 'running' ? 'tag is-good' : 'tag is-warning'}>{state}</span>{isDefault && <span class="tag">{t('server.default')}</span>}</h3>
      {asked.error !== undefined && <Failed error={asked.error} again={asked.again} />}
      <Facts
        facts={[
          [t('server.since'), started && <time title={moment(started)}>{age(started)}</time>],
          [t('server.connections'), status['conns']],
          [t('server.commandServer'), lower(status['cmdserv'])],
          [t('server.deadLetters'), deadLetterQueue === null ? t('server.none') : <a href={link.queue({ qmgr: name, queue: deadLetterQueue })}>{deadLetterQueue}</a>],
          [t('server.listeners'), listeners.length === 0 ? undefined : listeners.map((one) => `${one['listener']} :${one['port']} ${lower(one['status'])}`).join(', ')],
          [t('server.log'), lower(status['logtype'])],
          [t('server.logUse'), log ? bytes(log.inUse) : status['logfsuse'] === undefined ? undefined : t('server.ofDisk', { percent: String(status['logfsuse']) })],
          [t('server.extents'), log && count(log.extents)],
          [t('server.syncs'), log && t('server.syncsOf', { count: log.syncs, ms: log.syncMs === null ? '–' : log.syncMs.toFixed(1) })],
          [t('server.verified'), log?.verified && <time title={moment(log.verified)}>{clock(log.verified)}</time>],
          [t('server.damage'), log && log.damage > 0 ? <span class="is-error">{count(log.damage)}</span> : undefined],
        ]}
      />
      {log?.hasFailed && <p class="is-error">{t('server.logFailed')}</p>}
      {log?.isFull && <p class="is-error">{t('server.logFull')}</p>}
    </article>
  );
}

function lower(value: string | number | undefined): string | undefined {
  return value === undefined ? undefined : String(value).toLowerCase();
}

function Certificates({ certificates }: { certificates: readonly Certificate[] }) {
  if (certificates.length === 0) return null;
  const now = Date.now() / 1000;
  return (
    <section aria-labelledby="server-certificates">
      <h2 id="server-certificates">{t('server.certificates')}</h2>
      <div class="table-box" tabIndex={0}>
        <table class="plain-table">
          <thead><tr><th scope="col">{t('server.file')}</th><th scope="col">{t('server.subject')}</th><th scope="col">{t('server.ends')}</th><th scope="col" class="is-end">{t('server.left')}</th></tr></thead>
          <tbody>
            {certificates.map(({ file, subject, ends }) => (
              <tr key={file + subject}>
                <th scope="row">{file}</th><td>{subject}</td><td>{moment(ends)}</td>
                <td class={ends - now < 30 * 86_400 ? 'is-end is-warning' : 'is-end'}>{ends < now ? t('server.ended') : span(ends - now)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Pools({ pools }: { pools: readonly Pool[] }) {
  if (pools.length === 0) return null;
  return (
    <section aria-labelledby="server-pools">
      <h2 id="server-pools">{t('server.pools')}</h2>
      <div class="table-box" tabIndex={0}>
        <table class="plain-table">
          <thead>
            <tr>
              <th scope="col">{t('server.usedBy')}</th><th scope="col">{t('shell.qmgr')}</th>
              {(['inUse', 'idle', 'waiting', 'waited', 'refused', 'failed'] as const).map((one) => <th key={one} scope="col" class="is-end">{t(`server.${one}`)}</th>)}
            </tr>
          </thead>
          <tbody>
            {pools.map((pool) => (
              <tr key={`${pool.usedBy} ${pool.qmgr} ${pool.remote}`}>
                <th scope="row">{pool.usedBy}</th><td>{pool.qmgr}</td>
                {(['inUse', 'idle', 'waiting', 'waited', 'refused', 'failed'] as const).map((one) => <td key={one} class={(one === 'waiting' || one === 'refused') && pool[one] > 0 ? 'is-end is-warning' : 'is-end'}>{count(pool[one])}</td>)}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
