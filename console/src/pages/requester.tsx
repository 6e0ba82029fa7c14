// One API requester: the API that programs call through it, what fails, and a call with a record in hexadecimal digits.

import { useSignal } from '@preact/signals';
import type { PageProps } from '../pages.ts';
import { Field, Select } from '../parts/field.tsx';
import { t } from '../text.ts';
import { DeployedPage, Errors, Facts, type Shown } from './deployed/page.tsx';
import { bytesOf } from './try/call.ts';
import { Exchange } from './try/exchange.tsx';

export default function RequesterPage({ parameters: { requester = '' } }: PageProps) {
  return (
    <DeployedPage
      kind="requester" name={requester}
      tabs={[
        { id: 'overview', title: t('queue.overview'), view: Overview },
        { id: 'try', title: t('try.title'), view: (shown) => <TryRequester key={requester} name={shown.name} isStopped={shown.summary.state === 'stopped'} /> },
      ]}
    />
  );
}

function Overview({ name, details, active }: Shown) {
  const { connection } = details as { connection?: string };
  return (
    <div class="overview">
      <section aria-labelledby="requester-settings">
        <h2 id="requester-settings">{t('deployed.settings')}</h2>
        <Facts
          facts={[
            [t('deployed.connection'), connection],
            [t('deployed.callAddress'), <code>POST /zosConnect/apiRequesters/{name}</code>],
          ]}
        />
      </section>
      <Errors active={active} />
    </div>
  );
}

const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'] as const;

function TryRequester({ name, isStopped }: { name: string; isStopped: boolean }) {
  const path = useSignal('/');
  const method = useSignal<(typeof METHODS)[number]>('GET');
  const record = useSignal('');
  const body = bytesOf(record.value);
  const query = `apiPath=${encodeURIComponent(path.value)}&apiMethod=${method.value}`;
  return (
    <div class="try">
      <div class="try-request">
        <p class="quiet">{t('try.requesterAbout')}</p>
        <div class="fields">
          <Select label={t('try.apiMethod')} value={method} options={METHODS.map((one) => [one, one])} />
          <Field label={t('try.apiPath')} value={path} hint={t('try.apiPathHint')} />
        </div>
        <label class="field">
          <span>{t('try.record')}</span>
          <textarea class="is-code" rows={8} spellcheck={false} value={record.value} placeholder="c1 c4 c1 40" onInput={(event) => (record.value = event.currentTarget.value)} />
          <span class="field-hint">{body ? t('try.recordBytes', { count: body.length }) : t('try.notHex')}</span>
        </label>
      </div>
      <Exchange
        not={isStopped ? t('try.stopped') : body ? undefined : t('try.notHex')}
        call={{ method: 'POST', address: `/zosConnect/apiRequesters/${encodeURIComponent(name)}?${query}`, headers: { 'Content-Type': 'application/octet-stream' }, body }}
      />
    </div>
  );
}
