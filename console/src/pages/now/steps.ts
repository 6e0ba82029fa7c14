// Where a problem leads: the page of its object, and the pages of its next steps. A page that is not there is not offered.

import type { Trouble } from '../../api/pending.ts';
import { may } from '../../api/session.ts';
import { PAGES } from '../../pages.ts';
import { link, type PageName } from '../../routes.ts';
import { textOf } from '../../text.ts';

export interface NextStep {
  name: string;
  href: string;
}

type Step = Trouble['next'][number];

/** The page of each action, and whether the user may open it. */
const STEPS: Record<string, { page: PageName; href(qmgr: string, step: Step, name: string): string; isFor?: () => boolean }> = {
  messages: { page: 'queueMessages', href: (qmgr, step, name) => link.queueMessages({ qmgr, queue: of(step, 'queue', name) }), isFor: () => may.value.messages },
  queue: { page: 'queue', href: (qmgr, step, name) => link.queue({ qmgr, queue: of(step, 'queue', name) }) },
  handles: { page: 'queueHandles', href: (qmgr, step, name) => link.queueHandles({ qmgr, queue: of(step, 'queue', name) }) },
  history: { page: 'queueHistory', href: (qmgr, step, name) => link.queueHistory({ qmgr, queue: of(step, 'queue', name) }) },
  properties: { page: 'queueProperties', href: (qmgr, step, name) => link.queueProperties({ qmgr, queue: of(step, 'queue', name) }) },
  deadLetters: { page: 'deadLetters', href: (qmgr) => link.deadLetters({ qmgr }), isFor: () => may.value.messages },
  channel: { page: 'channel', href: (qmgr, step, name) => link.channel({ qmgr, channel: of(step, 'channel', name) }) },
  applications: { page: 'applications', href: (qmgr, step) => link.applications({ qmgr }, { search: of(step, 'application', '') }) },
  connection: { page: 'connection', href: (qmgr, step, name) => link.connection({ qmgr, connection: of(step, 'connection', name) }) },
  explain: {
    page: 'authority',
    href: (qmgr, step) => link.authority({ qmgr }, Object.fromEntries(Object.entries(step).filter(([key]) => key !== 'action').map(([key, value]) => [key, String(value)]))),
  },
  service: { page: 'service', href: (_, step, name) => link.service({ service: of(step, 'service', name) }) },
  server: { page: 'server', href: () => link.server() },
  events: { page: 'events', href: (qmgr) => link.events({ qmgr }) },
};

export function stepsOf(qmgr: string, { next, object }: Trouble): NextStep[] {
  return next.flatMap((step) => {
    const known = STEPS[step.action];
    if (!known || !(known.page in PAGES) || known.isFor?.() === false) return [];
    return [{ name: textOf(`step.${step.action}`) ?? step.action, href: known.href(qmgr, step, object.name) }];
  });
}

/** The page of an object. */
export function homeOf(qmgr: string, { type, name }: Trouble['object']): string | undefined {
  switch (type) {
    case 'queue':
      return link.queue({ qmgr, queue: name });
    case 'channel':
      return 'channel' in PAGES ? link.channel({ qmgr, channel: name }) : undefined;
    case 'service':
      return 'service' in PAGES ? link.service({ service: name }) : undefined;
    default:
      return undefined;
  }
}

function of(step: Step, member: string, otherwise: string): string {
  return String(step[member] ?? otherwise);
}
