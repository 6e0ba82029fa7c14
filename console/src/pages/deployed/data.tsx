// The data of a service: each record as its copybook lays it out, beside the JSON that it becomes; or the schema alone.

import { type Operation, Refused, request } from '../../api/request.ts';
import type { Copybook } from '../../api/operations.ts';
import { count } from '../../format.ts';
import { useAsked } from '../../parts/asked.ts';
import { Code } from '../../parts/copy.tsx';
import { Failed, Loading } from '../../parts/states.tsx';
import { t } from '../../text.ts';
import { type Schema, sample } from '../try/schema.ts';

type Direction = 'request' | 'response';

export function Data({ service }: { service: string }) {
  return (
    <div class="overview">
      <Record service={service} direction="request" />
      <Record service={service} direction="response" />
    </div>
  );
}

export async function schemaOf(service: string, direction: Direction, signal?: AbortSignal): Promise<Schema | null> {
  try {
    const name = 'GET /zosConnect/services/{service}/schema/{direction}' satisfies Operation;
    return (await request(name, { path: { service, direction }, ...(signal ? { signal } : {}) })) as Schema;
  } catch (error) {
    // A service of text or of any JSON has none.
    if (error instanceof Refused && error.status < 500 && error.status !== 403) return null;
    throw error;
  }
}

async function copybookOf(name: string, signal: AbortSignal): Promise<Copybook | null> {
  try {
    return await request('GET /api/v1/copybooks/{copybook}', { path: { copybook: name }, signal });
  } catch (error) {
    if (error instanceof Refused && error.status === 404) return null;
    throw error;
  }
}

function Record({ service, direction }: { service: string; direction: Direction }) {
  const schema = useAsked(`${service} ${direction}`, (signal) => schemaOf(service, direction, signal));
  const copybook = useAsked(`${service}/${direction}`, (signal) => copybookOf(`${service}/${direction}`, signal));
  return (
    <section aria-labelledby={`data-${direction}`}>
      <h2 id={`data-${direction}`}>
        {t(`deployed.${direction}`)}
        {copybook.answer?.length !== undefined && <span class="quiet"> {t('deployed.recordOf', { bytes: copybook.answer.length, ccsid: String(copybook.answer.ccsid ?? '–') })}</span>}
      </h2>
      {schema.error !== undefined && <Failed error={schema.error} again={schema.again} />}
      {copybook.error !== undefined && <Failed error={copybook.error} again={copybook.again} />}
      {schema.isLoading && <Loading />}
      {schema.answer === null && copybook.answer === null && <p class="quiet">{t('deployed.noSchema')}</p>}
      <div class="beside">
        {copybook.answer?.fields && <Fields fields={copybook.answer.fields} label={t(`deployed.${direction}Copybook`)} />}
        {schema.answer && (
          <div>
            <Code label={t('deployed.json')} text={JSON.stringify(sample(schema.answer, schema.answer), null, 2)} />
            <details>
              <summary>{t('deployed.schema')}</summary>
              <Code label={t('deployed.schema')} text={JSON.stringify(schema.answer, null, 2)} />
            </details>
          </div>
        )}
      </div>
    </section>
  );
}

function Fields({ fields, label }: { fields: NonNullable<Copybook['fields']>; label: string }) {
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label={label}>
      <table class="plain-table copybook">
        <thead>
          <tr>
            <th scope="col" class="is-end">{t('deployed.offset')}</th><th scope="col" class="is-end">{t('deployed.length')}</th>
            <th scope="col">{t('deployed.item')}</th><th scope="col">{t('deployed.picture')}</th>
          </tr>
        </thead>
        <tbody>
          {fields.map(({ path, level, offset, length, usage, picture, occurs, dependingOn, redefines }) => (
            <tr key={path}>
              <td class="is-end">{count(offset)}</td>
              <td class="is-end">{count(length)}</td>
              <th scope="row" style={{ paddingInlineStart: `${8 + 12 * (path.split('.').length - 2)}px` }} title={path}><code>{String(level).padStart(2, '0')} {path.split('.').at(-1)}</code></th>
              <td>
                <code>{[picture, usage === 'DISPLAY' ? undefined : usage].filter(Boolean).join(' ')}</code>
                {occurs !== undefined && <span class="quiet"> {t('deployed.occurs', { count: occurs })}{dependingOn ? ` (${dependingOn})` : ''}</span>}
                {redefines !== undefined && <span class="quiet"> {t('deployed.redefines', { item: redefines })}</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
