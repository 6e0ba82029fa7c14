// A call of a service: the request as a form made of its schema or as JSON, and the answer with its time.

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { session } from '../../api/session.ts';
import { useAsked } from '../../parts/asked.ts';
import { Field } from '../../parts/field.tsx';
import { Failed, Loading } from '../../parts/states.tsx';
import { t } from '../../text.ts';
import { Exchange } from '../try/exchange.tsx';
import { SchemaForm } from '../try/form.tsx';
import { type Json, sample } from '../try/schema.ts';
import { schemaOf } from './data.tsx';
import type { Shown } from './page.tsx';

export function TryService({ shown: { name, summary } }: { shown: Shown }) {
  const schema = useAsked(name, (signal) => schemaOf(name, 'request', signal));
  const value = useSignal<Json | undefined>(undefined);
  const text = useSignal('');
  const isJson = useSignal(false);
  const wait = useSignal('');
  useEffect(() => {
    if (!schema.answer) return;
    value.value = sample(schema.answer, schema.answer);
    text.value = JSON.stringify(value.value, null, 2);
  }, [schema.answer]);

  const isText = summary.settings['payload'] === 'text';
  const byForm = schema.answer?.properties !== undefined && !isJson.value;
  const body = byForm ? JSON.stringify(value.value ?? {}) : text.value;
  const fault = isText || byForm ? undefined : faultOf(text.value);
  const isCaller = session.value?.roles.includes('MQWebUser') ?? true;
  const not = summary.state === 'stopped' ? t('try.stopped') : fault;
  function show(json: boolean): void {
    // What was written on one side goes to the other.
    if (json) text.value = JSON.stringify(value.peek() ?? {}, null, 2);
    else if (faultOf(text.peek()) === undefined) value.value = JSON.parse(text.peek()) as Json;
    isJson.value = json;
  }
  return (
    <div class="try">
      <div class="try-request">
        {!isCaller && <p class="quiet">{t('try.role', { role: 'MQWebUser' })}</p>}
        {schema.error !== undefined && <Failed error={schema.error} again={schema.again} />}
        {schema.isLoading && !schema.answer && <Loading />}
        {schema.answer?.properties && (
          <div class="segments" role="group" aria-label={t('try.shape')}>
            <button type="button" aria-pressed={byForm} onClick={() => show(false)}>{t('try.form')}</button>
            <button type="button" aria-pressed={!byForm} onClick={() => show(true)}>{t('deployed.json')}</button>
          </div>
        )}
        {byForm && schema.answer ? (
          <SchemaForm document={schema.answer} schema={schema.answer} value={value.value} onValue={(next) => (value.value = next)} />
        ) : (
          <label class="field">
            <span>{t('try.body')}</span>
            <textarea class="is-code" rows={10} spellcheck={false} value={text.value} onInput={(event) => (text.value = event.currentTarget.value)} />
          </label>
        )}
        <div class="fields"><Field label={t('try.wait')} value={wait} type="number" min={0} hint={t('try.waitHint')} /></div>
      </div>
      <Exchange
        not={not}
        call={{
          method: 'POST', address: `/zosConnect/services/${encodeURIComponent(name)}?action=invoke`, body,
          headers: { 'Content-Type': isText ? 'text/plain;charset=utf-8' : 'application/json', ...(wait.value === '' ? {} : { 'ibm-mq-gmo-waitInterval': wait.value }) },
        }}
      />
    </div>
  );
}

function faultOf(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return t('try.notJson', { why: error instanceof Error ? error.message : '' });
  }
}
