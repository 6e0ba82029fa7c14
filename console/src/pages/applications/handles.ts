// What connections have open, as DISPLAY CONN TYPE(*) shows it: objects with the options they were opened with.

import { displayAll } from '../../api/mqsc.ts';
import { inMs } from '../../format.ts';

interface Displayed {
  conn: string;
  appltag: string;
  appldesc: string;
  appltype: string;
  userid: string;
  channel: string;
  conname: string;
  pid: number;
  clientid: string;
  conntag: string;
  urtype: string;
  uowstate: string;
  uowstda: string;
  uowstti: string;
  objects?: { objname: string; objtype: string; hstate: string; openopts: string[]; reada: string }[];
}

export interface Handle {
  key: string;
  id: string;
  application: string;
  user: string;
  channel: string | null;
  address: string | null;
  /** When the open unit of work of the connection began, seconds since 1970. */
  unitSince: number | null;
  object: string;
  type: string;
  reads: boolean;
  browses: boolean;
  writes: boolean;
  /** Reads alone: no other program can open the queue for input. */
  exclusive: boolean;
  /** All options, without their prefix. */
  options: string;
  isActive: boolean;
}

/** Handles of one connection, or of all connections on one object. */
export async function handles(qmgr: string, of: { connection: string } | { object: string }, signal?: AbortSignal): Promise<Handle[]> {
  const found = await displayAll<Displayed>(qmgr, 'conn', {
    name: 'connection' in of ? of.connection : '*',
    parameters: { type: '*', ...('object' in of ? { where: `objname eq '${of.object}'` } : {}) }, ...(signal ? { signal } : {}),
  });
  return found.flatMap(handlesOf).filter(({ object }) => !('object' in of) || object === of.object);
}

/** Facts of a connection that the list does not have. */
export async function factsOf(qmgr: string, connection: string, signal?: AbortSignal): Promise<Displayed | undefined> {
  return (await displayAll<Displayed>(qmgr, 'conn', { name: connection, parameters: { type: '*' }, ...(signal ? { signal } : {}) }))[0];
}

export function handlesOf(connection: Displayed): Handle[] {
  const { conn, appltag, userid, channel, conname, uowstate, uowstda, uowstti, objects = [] } = connection;
  const unitSince = uowstate === 'NONE' || uowstda === '' ? null : (inMs(`${uowstda}T${uowstti.replaceAll('.', ':')}Z`) ?? 0) / 1000;
  return objects.map(({ objname, objtype, hstate, openopts }, index) => ({
    key: `${conn} ${index}`, id: conn, application: appltag, user: userid, channel: channel || null, address: conname || null, unitSince, object: objname, type: objtype,
    reads: openopts.some((option) => option.startsWith('MQOO_INPUT')), browses: openopts.includes('MQOO_BROWSE'), writes: openopts.includes('MQOO_OUTPUT'),
    exclusive: openopts.includes('MQOO_INPUT_EXCLUSIVE'), options: openopts.map((option) => option.replace(/^MQ[A-Z]+_/, '')).join(', '), isActive: hstate === 'ACTIVE',
  }));
}
