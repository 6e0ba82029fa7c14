// The first messages of those that a job would do, in one line each.

import { request } from '../../api/request.ts';
import { bytes, clock } from '../../format.ts';
import { useAsked } from '../../parts/asked.ts';
import { t } from '../../text.ts';
import { Preview } from './columns.tsx';
import type { SeenMessage } from './seen.ts';

export function Samples({ qmgr, queue, positions, count }: { qmgr: string; queue: string; positions: readonly string[]; count: number }) {
  const asked = useAsked(positions.length > 0 ? `${queue} ${positions.join()}` : undefined, (signal) =>
    Promise.all(
      positions.map((position) =>
        request('GET /api/v1/qmgr/{qmgr}/queue/{queue}/messages/{position}', { path: { qmgr, queue, position }, query: { body: 'preview' }, signal }).then(
          (message) => message as unknown as SeenMessage, () => undefined),
      ),
    ),
  );
  const shown = (asked.answer ?? []).filter((message) => message !== undefined);
  if (shown.length === 0) return null;
  return (
    <div class="samples">
      <p class="field-label">{t('messages.samples', { count: shown.length, all: count })}</p>
      <ul>
        {shown.map((message) => (
          <li key={message.position}><time>{clock(message.putAt)}</time> <span class="quiet">{bytes(message.length)}</span> <Preview message={message} /></li>
        ))}
      </ul>
    </div>
  );
}
