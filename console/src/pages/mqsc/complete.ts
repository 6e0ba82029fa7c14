// What can be written at a place of a command: verbs, objects, keywords, words of a value, names of objects that are there.
//
// Pure but for `namesFor`, which asks the server for at most MOST_NAMES names.

import { display } from '../../api/mqsc.ts';
import { request } from '../../api/request.ts';
import { commandOf, type Grammar, type GrammarObject, type Keyword, keywordOf, keywordsOf, objectOf, objectsOf, verbOf } from './grammar.ts';
import type { Place } from './script.ts';

export interface Offer {
  text: string;
  /** What is written for it, where that is more. */
  apply?: string;
  /** A word behind it: kind of value, short form. */
  detail?: string;
  help?: string;
  kind: 'verb' | 'object' | 'keyword' | 'value' | 'name';
}

const MOST_NAMES = 50;

/** Everything of the grammar that begins with the prefix. */
export function offers(grammar: Grammar, place: Place): Offer[] {
  const begins = ({ text }: Offer) => text.startsWith(place.prefix.toUpperCase());
  switch (place.expects) {
    case 'verb':
      return grammar.verbs.map((text) => ({ text, kind: 'verb' as const, apply: `${text} ` })).filter(begins);
    case 'object': {
      const verb = verbOf(grammar, place.verb);
      if (!verb) return [];
      return objectsOf(grammar, verb).map((object) => objectOffer(object, verb)).filter((offer) => begins(offer) || offer.detail === place.prefix.toUpperCase());
    }
    case 'keyword': {
      const { object, verb, type } = resolved(grammar, place);
      if (!object || !verb) return [];
      const written = new Set([...place.has.keys()].filter((keyword) => keyword !== place.keyword));
      return keywordsOf(object, verb, type).filter(({ keyword }) => !written.has(keyword)).map((one) => keywordOffer(one, verb)).filter(begins);
    }
    case 'value': {
      const { object, verb, type } = resolved(grammar, place);
      const keyword = object && verb ? keywordOf(object, verb, place.keyword, type) : undefined;
      return (keyword?.value?.words ?? []).map((text) => ({ text, kind: 'value' as const })).filter(begins);
    }
    default:
      return [];
  }
}

/** Object, verb and kind that a place is about. */
export function resolved(grammar: Grammar, place: Place) {
  const object = place.object === '' ? undefined : objectOf(grammar, place.object);
  const verb = place.verb === '' ? undefined : verbOf(grammar, place.verb);
  const type = object?.typeKeyword === undefined ? '' : (place.has.get(object.typeKeyword) ?? '');
  return { object, verb, type };
}

function objectOffer(object: GrammarObject, verb: string): Offer {
  const command = commandOf(object, verb);
  const isNamed = command?.parameters.startsWith('(') ?? false;
  const [short] = object.synonyms;
  return { text: object.object, kind: 'object', apply: object.object + (isNamed ? '(' : ' '), ...(short ? { detail: short } : {}), ...(command ? { help: command.help } : {}) };
}

function keywordOffer({ keyword, value, operand, help, default: initial }: Keyword, verb: string): Offer {
  // DISPLAY shows attributes by name; keywords of a command with an operand have parentheses everywhere.
  const takes = operand !== undefined || (verb !== 'DISPLAY' && value !== undefined && value.is !== 'flag');
  return {
    text: keyword, kind: 'keyword', apply: keyword + (takes ? '(' : ' '), ...(help ? { help } : {}),
    ...(initial === undefined || verb === 'DISPLAY' ? {} : { detail: initial }),
  };
}

/** Keywords whose value is the name of a queue. */
const NAMES_QUEUE = /^(TARGET|TARGQ|INITQ|BOQNAME|XMITQ|DEST|DEADQ|DEFXMITQ|COMMANDQ|STREAMQ|RNAME)$/;
const LISTS: Record<string, 'queues' | 'channels' | 'topics' | 'subscriptions'> = {
  QUEUE: 'queues', QLOCAL: 'queues', QALIAS: 'queues', QREMOTE: 'queues', QMODEL: 'queues', QSTATUS: 'queues', QSTATS: 'queues',
  CHANNEL: 'channels', CHSTATUS: 'channels', CHLAUTH: 'channels', TOPIC: 'topics', SUB: 'subscriptions', SBSTATUS: 'subscriptions',
};
const TYPES: Record<string, string> = { QLOCAL: 'local', QALIAS: 'alias', QREMOTE: 'remote', QMODEL: 'model' };

/** Names of objects that are there and begin with the prefix. */
export async function namesFor(grammar: Grammar, qmgr: string, place: Place, signal?: AbortSignal): Promise<Offer[]> {
  const { object, verb } = resolved(grammar, place);
  const isName = place.expects === 'name' && object !== undefined && verb !== 'DEFINE';
  const isQueue = place.expects === 'value' && (NAMES_QUEUE.test(place.keyword) || (place.keyword === 'LIKE' && object !== undefined && object.object.startsWith('Q')));
  if (!isName && !isQueue) return [];
  const list = isQueue ? 'queues' : LISTS[object?.object ?? ''];
  const names = list ? await listed(list, qmgr, place.prefix, isQueue ? undefined : TYPES[object?.object ?? ''], signal) : await displayed(qmgr, object?.object ?? '', place.prefix, signal);
  return [...new Set(names)].slice(0, MOST_NAMES).map((text) => ({ text, kind: 'name', apply: needsQuotes(text) ? `'${text.replaceAll("'", "''")}'` : text }));
}

async function listed(list: 'queues' | 'channels' | 'topics' | 'subscriptions', qmgr: string, search: string, type: string | undefined, signal?: AbortSignal): Promise<string[]> {
  const query = { columns: 'name', limit: MOST_NAMES, sort: 'name', ...(search === '' ? {} : { search }), ...(type ? { where: [`type=${type}`] } : {}) };
  const { rows } = await request(`GET /api/v1/qmgr/{qmgr}/${list}`, { path: { qmgr }, query, ...(signal ? { signal } : {}) });
  return rows.map(([name]) => String(name));
}

/** By DISPLAY, of objects of which there are few. */
async function displayed(qmgr: string, object: string, prefix: string, signal?: AbortSignal): Promise<string[]> {
  if (object === '' || /STATUS$|^CONN$|^AUTHREC$|^QMGR$/.test(object)) return [];
  const found = await display(qmgr, object.toLowerCase(), `${prefix}*`, [], signal);
  return found.map((attributes) => String(Object.values(attributes)[0] ?? ''));
}

/** A name with characters that are no part of a plain word, or with small letters, which MQSC would make large. */
function needsQuotes(name: string): boolean {
  return /[^A-Z0-9._/%*]/.test(name);
}
