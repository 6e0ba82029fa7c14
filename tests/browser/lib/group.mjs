// Two members of a queue-sharing group on PostgreSQL, started by the script that a newcomer runs, on free ports and in a folder of their own.
//
// Invariants
// - The members, and PostgreSQL with them, end with the test, and with a process that is killed.
// - Every wait has a bound, and its error has what was written.

import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PASSWORDS, Server, until } from './server.mjs';

const SCRIPT = fileURLToPath(new URL('../../../scripts/run-group.sh', import.meta.url));
const READY_MS = 300_000;
const MEMBERS = ['QM1', 'QM2'];

/** QM1 as a server of a test; QM2 is in `members`. */
export async function startGroup() {
  const program = process.env.QUAYMASTER_BIN;
  if (!program) throw new Error('QUAYMASTER_BIN names no program: build the server with `make build`');
  const folder = mkdtempSync(join(tmpdir(), 'quaymaster-browser-group-'));
  // PostgreSQL runs as a user of its own.
  chmodSync(folder, 0o755);
  const own = Object.entries(process.env).filter(([name]) => !/^(MQ|QUAYMASTER)_/.test(name));
  const child = spawn('bash', [SCRIPT, '--free-ports'], {
    cwd: folder, detached: true, stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...Object.fromEntries(own), QUAYMASTER: program, MQ_ADMIN_PASSWORD: PASSWORDS.admin, MQ_READER_PASSWORD: PASSWORDS.reader },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
  const exited = new Promise((done) => child.once('exit', done));
  // A group of processes of its own: nothing of it outlives this one.
  const kill = () => {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // All have ended.
    }
  };
  process.on('exit', kill);
  const home = join(folder, 'quaymaster-group');
  const close = async () => {
    child.kill('SIGINT');
    await Promise.race([exited, new Promise((done) => setTimeout(done, 20_000).unref())]);
    kill();
    rmSync(folder, { recursive: true, force: true });
  };
  const ended = exited.then(() => Promise.reject(new Error('the script has ended')));
  try {
    await Promise.race([ended, until('the group is ready', () => existsSync(join(home, 'ready')), READY_MS)]);
    const members = Object.fromEntries(MEMBERS.map((name) => [name, member(home, name)]));
    return Object.assign(members.QM1, { members, close });
  } catch (error) {
    await close();
    throw new Error(`${error.message}: ${said}`);
  }
}

/** A member that runs. */
function member(home, name) {
  const server = new Server(join(home, name), {});
  server.listeners = JSON.parse(readFileSync(join(home, `${name}.ready`), 'utf8'));
  server.kill = () => process.kill(Number(readFileSync(join(home, `${name}.pid`), 'utf8')), 'SIGKILL');
  return server;
}
