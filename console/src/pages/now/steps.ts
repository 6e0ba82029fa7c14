// Where a problem leads: the page of its object, and its next steps. A step is a page, or a change that is shown before it is made.
//
// A page that is not there, and a change that the user may not make, are not offered.

import type { OperationsProblem as Trouble } from '../../api/operations.ts';
import { may } from '../../api/session.ts';
import { propose } from '../../change/change.ts';
import { PAGES } from '../../pages.ts';
import { link, type PageName, type Query } from '../../routes.ts';
import { t } from '../../text.ts';

export type NextStep = { name: string; href: string } | { name: string; run(): Promise<boolean> };

type Step = Trouble['next'][number];

/** The page of each action, and whether the user may open it. */
const STEPS: Record<string, { page: PageName; href(qmgr: string, step: Step, name: string, problem: Trouble): string; isFor?: () => boolean }> = {
  messages: { page: 'queueMessages', href: (qmgr, step, name) => link.queueMessages({ qmgr, queue: of(step, 'queue', name) }), isFor: () => may.value.messages },
  queue: { page: 'queue', href: (qmgr, step, name) => link.queue({ qmgr, queue: of(step, 'queue', name) }) },
  handles: { page: 'queueHandles', href: (qmgr, step, name) => link.queueHandles({ qmgr, queue: of(step, 'queue', name) }) },
  history: { page: 'queueHistory', href: (qmgr, step, name) => link.queueHistory({ qmgr, queue: of(step, 'queue', name) }) },
  properties: { page: 'queueProperties', href: (qmgr, step, name) => link.queueProperties({ qmgr, queue: of(step, 'queue', name) }) },
  'why-get': { page: 'queueHandles', href: (qmgr, step, name) => link.queueHandles({ qmgr, queue: of(step, 'queue', name) }) },
  'dead-letters': { page: 'deadLetters', href: (qmgr, step) => link.deadLetters({ qmgr }, queryOf(step)), isFor: () => may.value.messages },
  replay: { page: 'deadLetters', href: (qmgr, step) => link.deadLetters({ qmgr }, { ...queryOf(step), action: 'replay' }), isFor: () => may.value.messages },
  move: { page: 'queueMessages', href: (qmgr, step, name) => link.queueMessages({ qmgr, queue: of(step, 'queue', name) }, { ...queryOf(step), action: 'move' }), isFor: () => may.value.messages },
  channel: { page: 'channel', href: (qmgr, step, name) => link.channel({ qmgr, channel: of(step, 'channel', name) }) },
  applications: { page: 'applications', href: (qmgr, step) => link.applications({ qmgr }, { search: of(step, 'application', '') }) },
  connection: { page: 'connection', href: (qmgr, step, name) => link.connection({ qmgr, connection: of(step, 'connection', name) }) },
  'why-refused': { page: 'authority', href: (qmgr, step, _, problem) => link.authority({ qmgr }, { ...refusedObject(problem), ...queryOf(step) }) },
  'why-channel': { page: 'authority', href: (qmgr, step) => link.authority({ qmgr }, queryOf(step)) },
  service: { page: 'service', href: (_, step, name) => link.service({ service: of(step, 'service', name) }) },
  api: { page: 'api', href: (_, step, name) => link.api({ api: of(step, 'service', name) }) },
  requester: { page: 'requester', href: (_, step, name) => link.requester({ requester: of(step, 'service', name) }) },
  server: { page: 'server', href: () => link.server() },
  group: { page: 'group', href: (qmgr) => link.group({ qmgr }), isFor: () => may.value.administer },
  events: { page: 'events', href: (qmgr) => link.events({ qmgr }) },
};

export function stepsOf(qmgr: string, problem: Trouble): NextStep[] {
  const { next, object } = problem;
  return next.flatMap((step): NextStep[] => {
    const name = step.text;
    if (step.action === 'mqsc') {
      const { mqsc = [] } = step;
      if (!may.value.change || mqsc.length === 0) return [];
      return [{ name, run: () => propose({ title: name, qmgr, steps: mqsc.map((command) => ({ mqsc: command })), done: t('now.stepDone', { step: name }) }) }];
    }
    const known = STEPS[step.action];
    if (!known || !(known.page in PAGES) || known.isFor?.() === false) return [];
    return [{ name, href: known.href(qmgr, step, object.name, problem) }];
  });
}

/** The page of an object. */
export function homeOf(qmgr: string, { type, name }: Trouble['object']): string | undefined {
  switch (type) {
    case 'queue':
      return link.queue({ qmgr, queue: name });
    case 'channel':
      return 'channel' in PAGES ? link.channel({ qmgr, channel: name }) : undefined;
    case 'connection':
      return 'connection' in PAGES ? link.connection({ qmgr, connection: name }) : undefined;
    case 'service':
      return 'service' in PAGES ? link.service({ service: name }) : undefined;
    case 'api':
      return link.api({ api: name });
    case 'group':
      return may.value.administer ? link.group({ qmgr }) : undefined;
    case 'requester':
      return link.requester({ requester: name });
    default:
      return undefined;
  }
}

function of(step: Step, member: string, otherwise: string): string {
  return String((step as Record<string, unknown>)[member] ?? otherwise);
}

/** What a refusal was about, as the page of authority asks for it. */
function refusedObject({ object: { type, name }, values }: Trouble): Query {
  const { missing } = values as { missing?: unknown };
  const wants = typeof missing === 'string' ? missing.toLowerCase() : undefined;
  if (type === 'queue') return { queue: name, wants };
  return type === 'qmgr' ? { type, wants } : { object: name, type: type === 'clientChannel' ? 'clntconn' : type, wants };
}

/** What a step knows beside its action and text, and the parameters of the resource that explains it. */
function queryOf({ action: _, text: __, href, ...members }: Step): Query {
  const asked = typeof href === 'string' ? Object.fromEntries(new URL(href, location.origin).searchParams) : {};
  const known = Object.entries(members).filter(([, value]) => typeof value === 'string' || typeof value === 'number');
  return { ...Object.fromEntries(known.map(([name, value]) => [name, String(value)])), ...asked };
}
