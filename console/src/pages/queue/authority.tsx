// The tab Authority of a queue.

import type { QueueTabProps } from '../../pages.ts';
import { AuthorityOf } from '../authority/of-object.tsx';

export default function QueueAuthority({ qmgr, row: { name } }: QueueTabProps) {
  return <AuthorityOf qmgr={qmgr} type="QUEUE" name={name} />;
}
