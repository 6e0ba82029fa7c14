// Types of objects that authority records are about, and the authorities of each, by their MQSC words. Pure.
//
// Source: docs/authorities.md of this repository, and its table of authorities by type of object.

export const OBJECT_TYPES = ['QUEUE', 'TOPIC', 'QMGR', 'CHANNEL', 'CLNTCONN', 'LISTENER', 'PROCESS', 'NAMELIST', 'AUTHINFO', 'SERVICE', 'COMMINFO', 'RQMNAME'] as const;
export type ObjectType = (typeof OBJECT_TYPES)[number];

const CONTEXT = ['PASSID', 'PASSALL', 'SETID', 'SETALL'];
const DEFINITIONS = ['DSP', 'CHG', 'CRT', 'DLT'];

/** What programs do with an object, and what commands do with it. */
export interface Words {
  calls: readonly string[];
  commands: readonly string[];
}

export function wordsOf(type: ObjectType): Words {
  switch (type) {
    case 'QMGR':
      return { calls: ['CONNECT', 'INQ', 'SET', 'ALTUSR', 'SETID', 'SETALL', 'SYSTEM'], commands: [...DEFINITIONS, 'CTRL'] };
    case 'QUEUE':
      return { calls: ['PUT', 'GET', 'BROWSE', 'INQ', 'SET', ...CONTEXT], commands: [...DEFINITIONS, 'CLR'] };
    case 'TOPIC':
      return { calls: ['PUB', 'SUB', 'RESUME', ...CONTEXT], commands: [...DEFINITIONS, 'CLR', 'CTRL'] };
    case 'PROCESS':
    case 'NAMELIST':
      return { calls: ['INQ', 'SET'], commands: DEFINITIONS };
    case 'AUTHINFO':
      return { calls: ['INQ'], commands: DEFINITIONS };
    case 'RQMNAME':
      return { calls: ['PUT', 'CONNECT'], commands: [] };
    case 'CHANNEL':
      return { calls: [], commands: [...DEFINITIONS, 'CTRL', 'CTRLX'] };
    case 'LISTENER':
    case 'SERVICE':
      return { calls: [], commands: [...DEFINITIONS, 'CTRL'] };
    case 'CLNTCONN':
    case 'COMMINFO':
      return { calls: [], commands: DEFINITIONS };
  }
}

export function isObjectType(text: string): text is ObjectType {
  return (OBJECT_TYPES as readonly string[]).includes(text);
}

/** A record: what one user or group may do with the objects of a profile. */
export interface AuthorityRecord {
  profile: string;
  type: ObjectType;
  entity: string;
  kind: 'PRINCIPAL' | 'GROUP';
  words: string;
}

/** The keywords that name a record; the queue manager has no profile. */
export function nameOf({ profile, type, entity, kind }: Pick<AuthorityRecord, 'profile' | 'type' | 'entity' | 'kind'>, quoted: (text: string) => string): string {
  return `${type === 'QMGR' ? '' : `PROFILE(${quoted(profile)}) `}OBJTYPE(${type}) ${kind}(${quoted(entity)})`;
}

/** The command that leads from some authorities to others; undefined: nothing changes. */
export function changeOf(record: Pick<AuthorityRecord, 'profile' | 'type' | 'entity' | 'kind'>, before: readonly string[], after: readonly string[], quoted: (text: string) => string): string | undefined {
  const added = after.filter((word) => !before.includes(word));
  const removed = before.filter((word) => !after.includes(word));
  if (added.length === 0 && removed.length === 0) return undefined;
  const parts = [...(added.length > 0 ? [`AUTHADD(${added.join(',')})`] : []), ...(removed.length > 0 ? [`AUTHRMV(${removed.join(',')})`] : [])];
  return `SET AUTHREC ${nameOf(record, quoted)} ${parts.join(' ')}`;
}
