// The console's application: what main.ts of a program would be. start.ts calls `main` with the session.
//
// How to add
// - A page: a path in routes.ts, a file in pages/ whose default export takes `{ parameters }`, an entry with `load` in pages.ts, its
//   title in text/en.json. The bar, the search, the keys and the links of problems follow from the table.
// - A tab of a queue: an entry of QUEUE_TABS in pages.ts; pages/queue/properties.tsx is the example. It is given the row of the queue, always fresh.
// - A list: `<List>` of grid/list.tsx with columns; pages/queues.tsx is the example. `listSource` asks a resource of the server, `localSource`
//   serves rows that are already here. Filter, sort, columns, address, keyboard and live values come with it.
// - A change: `propose({ title, qmgr, steps, done })` of change/change.ts, and nothing else. It shows MQSC, curl and command line first. Offer it only
//   where `may` (api/session.ts) allows it.
// - Details at the side: `<Drawer>` of parts/dialog.tsx, with what it shows in the query (`setQuery`). What must be answered: `<Dialog>`.
// - A request: `request('GET /api/v1/…', { path, query, json })`. Its types are generated from the OpenAPI document; what the document does not have yet
//   stands in api/pending.ts. `useAsked(key, ask)` asks for a part of a page, `watch` and `onLive` of api/live.ts keep it fresh.
// - A part that needs a large library (chart, editor): `<Lazy load={() => import('…')} props={…} />` of parts/lazy.tsx.
// - A text: a key in text/en.json, then `t('group.key', { values })`. Names and payloads are values. A group that no source of the first page names is
//   fetched with the pages that are loaded later. A module with such texts that is no page: `withTexts(() => import('…'))` of parts/lazy.tsx.
// - A look: classes of styles/; colours, spaces and sizes are variables of tokens.css. A value that is computed goes into `style={{…}}`.
//
// Invariants
// - No inline script, no style attribute in markup, no innerHTML: the policy of the page refuses them.
// - Nothing is loaded from elsewhere. No secret is in the page, in an address or in the browser's storage.

import { render } from 'preact';
import type { Session } from './api/operations.ts';
import { startLive } from './api/live.ts';
import { session } from './api/session.ts';
import { go, route, startRouter } from './router.ts';
import { link } from './routes.ts';
import { startSettings } from './settings.ts';
import { rememberUser } from './shell/again.ts';
import { startKeys } from './shell/keys.tsx';
import { Shell } from './shell/shell.tsx';

/** What start.ts calls. The name of an export would not survive the build of one chunk. */
Object.assign(globalThis, { startConsole: main });

function main(signedIn: Session): void {
  session.value = signedIn;
  rememberUser(signedIn);
  startSettings();
  startRouter();
  startKeys();
  startLive();
  if (route.value?.page === 'home' || route.value?.page === 'signIn') {
    const first = signedIn.qmgrs.find(({ isDefault }) => isDefault) ?? signedIn.qmgrs[0];
    go(first ? link.now({ qmgr: first.name }) : link.server(), { replace: true });
  }
  const root = document.createElement('div');
  root.className = 'app';
  document.body.append(root);
  render(<Shell />, root);
}
