// The API explorer: every resource of the server, out of its OpenAPI document, with calls in the name of the person who is signed in.

import { session } from '../api/session.ts';
import { useAsked } from '../parts/asked.ts';
import { Failed, Loading } from '../parts/states.tsx';
import { t } from '../text.ts';
import { documentAt } from './explorer/document.ts';
import { Viewer } from './explorer/viewer.tsx';

const DOCUMENT = '/openapi.json';

export default function ExplorerPage() {
  const asked = useAsked(DOCUMENT, (signal) => documentAt(DOCUMENT, '', signal));
  const qmgr = (session.value?.qmgrs.find(({ isDefault }) => isDefault) ?? session.value?.qmgrs[0])?.name ?? '';
  return (
    <div class="explorer">
      <header class="page-head page-title">
        <h1>{t('pages.explorer')}</h1>
        <p class="explorer-links"><a href={DOCUMENT} target="_blank">OpenAPI 3.1</a> <a href="/ibm/api/docs" target="_blank">Swagger 2.0</a></p>
      </header>
      {asked.error !== undefined && <Failed error={asked.error} again={asked.again} />}
      {!asked.answer && asked.isLoading && <Loading />}
      {asked.answer && <Viewer document={asked.answer} values={{ qmgr, version: 'v3' }} />}
    </div>
  );
}
