// Ending connections: what is backed out is said first.

import { propose, type Step } from '../../change/change.ts';
import { t } from '../../text.ts';
import type { ConnectionRow } from './connections.ts';

/** Connections that one change ends at most. */
export const MOST_ENDED = 1000;

/** The reason of a connection that is not there: it has ended by itself meanwhile. */
const GONE = 3174;

export function stepsToEnd(ids: readonly string[]): Step[] {
  return ids.map((id) => ({ mqsc: `STOP CONN(${id})`, unless: GONE }));
}

/** Proposes to end connections; `whose` names them: a program, a user, a channel. */
export function proposeEnd(qmgr: string, rows: readonly Pick<ConnectionRow, 'id' | 'uncommitted' | 'unitSince' | 'application'>[], whose: string): Promise<boolean> {
  const count = rows.length;
  const units = rows.filter(({ unitSince }) => unitSince !== null).length;
  const messages = rows.reduce((sum, { uncommitted }) => sum + (uncommitted ?? 0), 0);
  return propose({
    title: t('applications.endOf', { count, whose }), qmgr, danger: true, apply: t(count === 1 ? 'applications.endOne' : 'applications.end'), done: t('applications.ended', { count }),
    children: (
      <>
        <p>{t('applications.endHelp', { count })}</p>
        {units > 0 && <p>{t('applications.endUnits', { count: units, messages })}</p>}
      </>
    ),
    steps: stepsToEnd(rows.map(({ id }) => id)),
  });
}
