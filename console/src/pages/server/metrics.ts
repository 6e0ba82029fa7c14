// What the page of the server shows of the metrics: certificates, connection pools, the recovery log of each queue manager.
//
// The text is megabytes where there are thousands of queues: a longer one than MOST_CHARACTERS is not read to its end, and nothing of it is shown.

export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

export interface Certificate {
  file: string;
  subject: string;
  /** Seconds since 1970. */
  ends: number;
}

export interface Pool {
  usedBy: string;
  qmgr: string;
  remote: boolean;
  inUse: number;
  idle: number;
  waiting: number;
  waited: number;
  refused: number;
  failed: number;
}

export interface RecoveryLog {
  qmgr: string;
  inUse: number;
  extents: number;
  syncs: number;
  /** Milliseconds of a sync, over all of them. */
  syncMs: number | null;
  written: number;
  isFull: boolean;
  hasFailed: boolean;
  damage: number;
  /** Seconds since 1970; null: no round of verification is complete. */
  verified: number | null;
}

export interface Shown {
  certificates: Certificate[];
  pools: Pool[];
  logs: RecoveryLog[];
}

const MOST_CHARACTERS = 1_500_000;

/** `none`: the server does not show its metrics at this address. `long`: there are too many. */
export async function metrics(signal?: AbortSignal): Promise<Shown | 'none' | 'long'> {
  const answer = await fetch('/metrics', { credentials: 'same-origin', ...(signal ? { signal } : {}) });
  if (!answer.ok || !answer.body) return 'none';
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  const parts: string[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    length += value.length;
    if (length <= MOST_CHARACTERS) continue;
    void reader.cancel().catch(() => undefined);
    return 'long';
  }
  return shown(samplesOf(parts.join('')));
}

export function samplesOf(text: string): Sample[] {
  const samples: Sample[] = [];
  for (const [, name = '', inside = '', value = ''] of text.matchAll(/^([a-z_]+)(?:\{(.*)\})? (\S+)$/gm)) {
    const labels: Record<string, string> = {};
    for (const [, label = '', written = ''] of inside.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) labels[label] = written.replace(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char));
    samples.push({ name, labels, value: Number(value) });
  }
  return samples;
}

export function shown(samples: readonly Sample[]): Shown {
  const certificates = samples.filter(({ name }) => name === 'quaymaster_certificate_end_time_seconds')
    .map(({ labels: { file = '', subject = '' }, value }) => ({ file, subject, ends: value })).sort((a, b) => a.ends - b.ends);
  return { certificates, pools: poolsOf(samples), logs: logsOf(samples) };
}

function poolsOf(samples: readonly Sample[]): Pool[] {
  const pools = new Map<string, Pool>();
  for (const { name, labels: { used_by: usedBy = '', qmgr = '', remote = '' }, value } of samples) {
    const member = MEMBERS[name.replace('quaymaster_connection_pool_', '')];
    if (!name.startsWith('quaymaster_connection_pool_') || !member) continue;
    const key = `${usedBy} ${qmgr} ${remote}`;
    const pool = pools.get(key) ?? { usedBy, qmgr, remote: remote === 'true' || remote === 'yes', inUse: 0, idle: 0, waiting: 0, waited: 0, refused: 0, failed: 0 };
    pools.set(key, pool);
    pool[member] += value;
  }
  return [...pools.values()];
}

const MEMBERS: Record<string, 'inUse' | 'idle' | 'waiting' | 'waited' | 'refused' | 'failed' | undefined> = {
  in_use: 'inUse', idle: 'idle', waiting: 'waiting', waited_total: 'waited', refused_total: 'refused', failed_total: 'failed',
};

function logsOf(samples: readonly Sample[]): RecoveryLog[] {
  const of = (qmgr: string, name: string) => samples.find((sample) => sample.name === `quaymaster_log_${name}` && sample.labels['qmgr'] === qmgr)?.value ?? 0;
  const qmgrs = [...new Set(samples.filter(({ name }) => name === 'quaymaster_log_extents').map(({ labels }) => labels['qmgr'] ?? ''))];
  return qmgrs.map((qmgr) => {
    const syncs = of(qmgr, 'syncs_total');
    return {
      qmgr, inUse: of(qmgr, 'in_use_bytes'), extents: of(qmgr, 'extents'), syncs, syncMs: syncs === 0 ? null : (of(qmgr, 'sync_seconds_total') / syncs) * 1000,
      written: of(qmgr, 'written_bytes_total'), isFull: of(qmgr, 'full') > 0, hasFailed: of(qmgr, 'failed') > 0, damage: of(qmgr, 'damage_found_total'),
      verified: of(qmgr, 'verification_time_seconds') || null,
    };
  });
}
