// One service: where its messages go, what fails, its data as copybook and JSON, and a call by a form.

import { session } from '../api/session.ts';
import type { PageProps } from '../pages.ts';
import { link } from '../routes.ts';
import { t } from '../text.ts';
import { DeployedPage, Errors, Facts, type Shown } from './deployed/page.tsx';
import { Data } from './deployed/data.tsx';
import { TryService } from './deployed/try-service.tsx';

export default function ServicePage({ parameters: { service = '' } }: PageProps) {
  return (
    <DeployedPage
      kind="service" name={service}
      tabs={[
        { id: 'overview', title: t('queue.overview'), view: Overview },
        { id: 'try', title: t('try.title'), view: (shown) => <TryService key={service} shown={shown} /> },
        { id: 'data', title: t('deployed.data'), view: () => <Data key={service} service={service} /> },
      ]}
    />
  );
}

/** Settings with words of their own, in their order; others follow as they are. */
const KNOWN = ['destination', 'replyDestination', 'waitInterval', 'connectionFactory', 'payload', 'ccsid', 'byteOrder', 'lateReply', 'requestStructure', 'responseStructure'] as const;

function Overview({ summary: { settings }, active }: Shown) {
  const qmgr = session.value?.qmgrs.find(({ isDefault }) => isDefault)?.name;
  // A service of another queue manager names a connection; its queue is not here.
  const queue = (name: string | undefined) => (name === undefined || qmgr === undefined || settings['connectionFactory'] || name.startsWith('topic://') ? name : <a class="object" href={link.queue({ qmgr, queue: name })}>{name}</a>);
  const isKnown = (name: string) => (KNOWN as readonly string[]).includes(name);
  return (
    <div class="overview">
      <section aria-labelledby="service-settings">
        <h2 id="service-settings">{t('deployed.settings')}</h2>
        <Facts
          facts={[
            ...KNOWN.map((name) => [t(`deployed.${name}`), /estination$/.test(name) ? queue(settings[name]) : name === 'waitInterval' && settings[name] ? `${settings[name]} ms` : settings[name]] as const),
            ...Object.entries(settings).filter(([name]) => !isKnown(name)),
          ]}
        />
      </section>
      <Errors active={active} />
    </div>
  );
}
