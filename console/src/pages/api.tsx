// One API: its services, its document, and its operations to look at and to call.

import { useAsked } from '../parts/asked.ts';
import { Failed, Loading } from '../parts/states.tsx';
import type { PageProps } from '../pages.ts';
import { link } from '../routes.ts';
import { t } from '../text.ts';
import { DeployedPage, Errors, Facts, type Shown } from './deployed/page.tsx';
import { Viewer } from './explorer/viewer.tsx';
import { documentAt } from './explorer/document.ts';

export default function ApiPage({ parameters: { api = '' } }: PageProps) {
  return (
    <DeployedPage
      kind="api" name={api}
      tabs={[
        { id: 'overview', title: t('queue.overview'), view: Overview },
        { id: 'operations', title: t('explorer.operations'), view: (shown) => <Operations key={api} shown={shown} /> },
      ]}
    />
  );
}

interface ApiDetails {
  apiUrl?: string;
  documentation?: { swagger?: string };
  services?: { name: string }[];
}

function pathOf({ details }: Shown): string {
  return new URL((details as ApiDetails).apiUrl ?? '/', location.origin).pathname;
}

function Overview(shown: Shown) {
  const { services = [] } = shown.details as ApiDetails;
  const path = pathOf(shown);
  const isStarted = shown.summary.state === 'started';
  return (
    <div class="overview">
      <section aria-labelledby="api-settings">
        <h2 id="api-settings">{t('deployed.settings')}</h2>
        <Facts
          facts={[
            [t('deployed.basePath'), <code>{path}</code>],
            [t('deployed.services'), <>{services.map(({ name }, index) => <>{index > 0 && ', '}<a key={name} class="object" href={link.service({ service: name })}>{name}</a></>)}</>],
            [t('deployed.documents'), isStarted ? <><a href={`${path}/api-docs?version=3`} target="_blank">OpenAPI 3</a>, <a href={`${path}/api-docs`} target="_blank">Swagger 2.0</a></> : t('deployed.documentStopped')],
          ]}
        />
      </section>
      <Errors active={shown.active} />
    </div>
  );
}

function Operations({ shown }: { shown: Shown }) {
  const path = pathOf(shown);
  const asked = useAsked(shown.summary.state === 'started' ? path : undefined, (signal) => documentAt(`${path}/api-docs?version=3`, path, signal));
  if (shown.summary.state === 'stopped') return <p class="quiet">{t('deployed.documentStopped')}</p>;
  return (
    <>
      {asked.error !== undefined && <Failed error={asked.error} again={asked.again} />}
      {!asked.answer && asked.isLoading && <Loading />}
      {asked.answer && <Viewer document={asked.answer} values={{}} />}
    </>
  );
}
