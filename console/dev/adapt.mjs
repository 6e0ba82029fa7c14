// Makes resources of the contract from older ones of the server, as long as the server under development does not have them.

import { request } from 'node:https';

const STATUS = ['currentDepth', 'openInputCount', 'openOutputCount', 'uncommittedMessages', 'oldestMessageAge'];
let known = { at: 0, rows: [] };

export function adapt({ incoming, answer, to, pass }) {
  const url = new URL(incoming.url, 'http://localhost');
  const ask = (path) => new Promise((done) => {
    const { cookie, authorization } = incoming.headers;
    request({ host: to.hostname, port: to.port, path, headers: { ...(cookie ? { cookie } : {}), ...(authorization ? { authorization } : {}) }, rejectUnauthorized: false }, (reply) => {
      let text = '';
      reply.on('data', (chunk) => (text += chunk));
      reply.on('end', () => done({ status: reply.statusCode, json: text.startsWith('{') ? JSON.parse(text) : undefined }));
    }).on('error', () => done({ status: 502 })).end();
  });
  const say = (status, json) => answer.writeHead(status, { 'content-type': status < 400 ? 'application/json' : 'application/problem+json' }).end(JSON.stringify(json));
  const path = url.pathname;
  if (path === '/api/v1/session') {
    ask('/ibmmq/rest/v3/login').then(({ status, json }) => {
      if (status !== 200) return say(status, { type: 'x', title: 'sign in', status, detail: 'sign in' });
      const [user] = json.user;
      const isAdmin = user.role.includes('MQWebAdmin');
      say(200, { user: user.name, method: user.authenticationMechanism, roles: user.role, ends: new Date(Date.now() + 7.2e6).toISOString(), version: '0.1.0',
        qmgrs: [{ name: 'QM1', state: 'running', isDefault: true, deadLetterQueue: 'DEV.DEAD.LETTER.QUEUE' }], may: { administer: isAdmin || user.role.includes('MQWebAdminRO'), change: isAdmin || user.role.includes('MQWebUser'), messages: true }, issuer: null, now: new Date().toISOString() });
    });
    return true;
  }
  if (/\/api\/v1\/qmgr\/[^/]+\/problems$/.test(path)) {
    const since = (minutes) => new Date(Date.now() - minutes * 6e4).toISOString();
    say(200, { at: new Date().toISOString(), problems: [
      { id: 'full:PAY.REQ.00007', rule: 'queue-full', severity: 'error', since: since(14), object: { type: 'queue', name: 'PAY.REQ.00007' }, values: { depth: 5000 }, text: 'PAY.REQ.00007 is full: 5000 of 5000. Puts fail with 2053.', next: [{ action: 'queue' }, { action: 'mqsc', text: 'Raise MAXDEPTH of PAY.REQ.00007 to 10000', mqsc: ["ALTER QLOCAL('PAY.REQ.00007') MAXDEPTH(10000)"] }], mutedUntil: null },
      { id: 'noreader:ORDERS', rule: 'no-reader', severity: 'warning', since: since(130), object: { type: 'queue', name: 'PAY.REQ.00003' }, values: {}, text: 'PAY.REQ.00003 has 812 messages and no reader.', next: [{ action: 'queue' }], mutedUntil: null },
      { id: 'cert', rule: 'certificate', severity: 'note', since: since(4000), object: { type: 'server', name: '' }, values: {}, text: 'The certificate of the server ends in 26 days.', next: [{ action: 'server' }], mutedUntil: since(-30) },
    ] });
    return true;
  }
  if (/\/api\/v1\/qmgr\/[^/]+\/queues$/.test(path)) {
    queues(url, ask).then(([status, json]) => say(status, json));
    return true;
  }
  if (/\/api\/v1\/qmgr\/[^/]+\/(channels|topics|subscriptions|connections)$/.test(path)) {
    say(200, { at: '', total: 0, known: 0, offset: 0, columns: ['name'], rows: [] });
    return true;
  }
  if (/\/watch$/.test(path)) {
    pass(incoming, answer, (bytes) => {
      const { problems, ...rest } = JSON.parse(bytes.toString());
      return Buffer.from(JSON.stringify(rest));
    });
    return true;
  }
  return false;
}

async function queues(url, ask) {
  if (Date.now() - known.at > 1000) {
    const { status, json } = await ask('/ibmmq/rest/v1/admin/qmgr/QM1/queue?attributes=general.description,general.inhibitPut,general.inhibitGet,storage.maximumDepth&status=status.' + STATUS.join(',status.'));
    if (status !== 200) return [status, { type: 'x', title: 'x', status, detail: JSON.stringify(json) }];
    known = { at: Date.now(), rows: json.queue.map(({ name, type, general, storage, status: s }) => {
      const depth = s?.currentDepth ?? null;
      const max = storage?.maximumDepth ?? null;
      const age = s?.oldestMessageAge;
      return { name, type, description: general?.description ?? '', depth, max, full: depth === null ? null : (depth / max) * 100, bytes: depth === null ? null : depth * 271,
        uncommitted: s?.uncommittedMessages ?? null, readers: s?.openInputCount ?? null, writers: s?.openOutputCount ?? null, waiting: depth === null ? null : 0, in: depth === null ? null : 0, out: depth === null ? null : 0,
        oldest: depth ? Math.floor(Date.now() / 1000) - (age > 0 ? age : 4000 + depth) : null, lastPut: depth ? Math.floor(Date.now() / 1000) - 70 : null, lastGet: null,
        putEnabled: general?.inhibitPut === undefined ? null : !general.inhibitPut, getEnabled: general?.inhibitGet === undefined ? null : !general.inhibitGet, usage: 'normal', target: null };
    }) };
  }
  const words = (url.searchParams.get('search') ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  let rows = known.rows.filter(({ name, description }) => words.every((word) => `${name} ${description}`.toLowerCase().includes(word)));
  for (const condition of url.searchParams.getAll('where')) {
    const [, column, operator, value] = /^(\w+)(!=|>=|<=|=|>|<)(.*)$/.exec(condition) ?? [];
    rows = rows.filter((row) => {
      if (column === 'system') return value === 'true' || !row.name.startsWith('SYSTEM.');
      const percent = value.endsWith('%') && column === 'depth';
      const a = percent ? row.full : row[column];
      const b = typeof a === 'number' ? Number.parseFloat(value) : value;
      if (a === null) return false;
      return { '=': String(a) === String(b), '!=': String(a) !== String(b), '>': a > b, '<': a < b, '>=': a >= b, '<=': a <= b }[operator];
    });
  }
  const sort = (url.searchParams.get('sort') ?? 'name').split(',');
  rows.sort((a, b) => {
    for (const one of [...sort, 'name']) {
      const key = one.replace(/^-/, '');
      if (a[key] === b[key]) continue;
      if (a[key] === null) return 1;
      if (b[key] === null) return -1;
      return (a[key] < b[key] ? -1 : 1) * (one.startsWith('-') ? -1 : 1);
    }
    return 0;
  });
  const columns = (url.searchParams.get('columns') ?? 'name').split(',');
  const offset = Number(url.searchParams.get('offset') ?? 0);
  const limit = Number(url.searchParams.get('limit') ?? 100);
  return [200, { at: new Date().toISOString(), total: rows.length, known: known.rows.length, offset, columns, rows: rows.slice(offset, offset + limit).map((row) => columns.map((column) => row[column] ?? null)) }];
}
