// One operation of a document: what it does, who may call it, its parameters and body as a form, the call, and its answers.

import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { CopyButton } from './copy-button.tsx';
import { t } from '../../text.ts';
import { Exchange } from '../try/exchange.tsx';
import { examples, type Schema, typeText } from '../try/schema.ts';
import { type ApiOperation, callOf, isToken, keyOf, type Parameter } from './document.ts';
import { SchemaTree } from './schema-tree.tsx';
import { Method } from './viewer.tsx';

interface OperationProps {
  operation: ApiOperation;
  source: unknown;
  values: Readonly<Record<string, string>>;
}

export function Operation({ operation, source, values: first }: OperationProps) {
  const { method, path, summary, description, parameters, bodies, answers, roles } = operation;
  const values = useSignal<Record<string, string>>(initial(parameters, first));
  const type = useSignal(bodies.find(({ type: one }) => one.includes('json'))?.type ?? bodies[0]?.type ?? '');
  const offered = bodies.find((body) => body.type === type.value);
  const body = useSignal(offered && operation.isBodyRequired ? textOf(source, offered) : '');
  const { call, missing } = callOf(operation, { values: values.value, type: type.value, body: body.value });
  const shown = parameters.filter((parameter) => parameter.in !== 'cookie' && !isToken(parameter));
  return (
    <article class="operation" aria-labelledby="operation-title">
      <header>
        <h2 id="operation-title">{summary || path}</h2>
        <p class="operation-path"><Method method={method} /> <code>{path}</code> <CopyButton text={path} label={t('explorer.path')} /></p>
        {description && <p><Prose text={description} /></p>}
        {roles.length > 0 && <p class="quiet">{t('explorer.roles', { roles: roles.join(', ') })}</p>}
      </header>
      {shown.length > 0 && (
        <section aria-labelledby="operation-parameters">
          <h3 id="operation-parameters">{t('explorer.parameters')}</h3>
          <div class="parameters">
            {shown.map((parameter) => (
              <Value key={keyOf(parameter)} parameter={parameter} value={values.value[keyOf(parameter)] ?? ''} onValue={(value) => (values.value = { ...values.peek(), [keyOf(parameter)]: value })} />
            ))}
          </div>
        </section>
      )}
      {offered && (
        <section aria-labelledby="operation-body">
          <h3 id="operation-body">{t('try.body')}{operation.isBodyRequired ? ' *' : ''}</h3>
          <div class="operation-body">
            <div class="fields">
              <label class="field">
                <span>{t('explorer.type')}</span>
                <select
                  value={type.value}
                  onChange={(event) => {
                    type.value = event.currentTarget.value;
                    const next = bodies.find((one) => one.type === type.peek());
                    if (next) body.value = textOf(source, next);
                  }}
                >
                  {bodies.map((one) => <option key={one.type} value={one.type}>{one.type}</option>)}
                </select>
              </label>
              <Examples source={source} schema={offered.schema} isJson={offered.type.includes('json')} choose={(text) => (body.value = text)} />
            </div>
            <label class="field">
              <span class="heard">{t('try.body')}</span>
              <textarea class="is-code" rows={Math.min(16, Math.max(4, body.value.split('\n').length))} spellcheck={false} value={body.value} onInput={(event) => (body.value = event.currentTarget.value)} />
            </label>
            <details>
              <summary>{t('deployed.schema')}</summary>
              <SchemaTree source={source} schema={offered.schema} />
            </details>
          </div>
        </section>
      )}
      <Exchange call={call} isAsked={method !== 'GET' && method !== 'HEAD'} not={missing.length > 0 ? t('explorer.missing', { names: missing.join(', ') }) : undefined} />
      <section aria-labelledby="operation-answers">
        <h3 id="operation-answers">{t('explorer.answers')}</h3>
        {answers.map(({ status, description: what, type: media, schema }) => (
          <details key={status} class="operation-answer">
            <summary><strong>{status}</strong> <Prose text={what} /> <span class="quiet">{media}</span></summary>
            {schema ? <SchemaTree source={source} schema={schema} /> : <p class="quiet">{t('try.noBody')}</p>}
          </details>
        ))}
      </section>
    </article>
  );
}

function initial(parameters: readonly Parameter[], first: Readonly<Record<string, string>>): Record<string, string> {
  const values: Record<string, string> = {};
  for (const parameter of parameters) {
    const value = parameter.required ? (first[parameter.name] ?? parameter.schema.enum?.at(-1)) : undefined;
    if (value !== undefined) values[keyOf(parameter)] = String(value);
  }
  return values;
}

/** The text that the form begins with. */
function textOf(source: unknown, { type, schema }: { type: string; schema: Schema }): string {
  if (!type.includes('json')) return '';
  const [first] = examples(source, schema);
  return first === undefined || first.value === null ? '' : JSON.stringify(first.value, null, 2);
}

function Examples({ source, schema, isJson, choose }: { source: unknown; schema: Schema; isJson: boolean; choose(text: string): void }) {
  const all = isJson ? examples(source, schema) : [];
  if (all.length < 2) return null;
  return (
    <label class="field">
      <span>{t('explorer.example')}</span>
      <select onChange={(event) => choose(JSON.stringify(all[Number(event.currentTarget.value)]?.value, null, 2))}>
        {all.map(({ title }, index) => <option key={index} value={index}>{title || t('explorer.exampleOf', { number: index + 1 })}</option>)}
      </select>
    </label>
  );
}

function Value({ parameter, value, onValue }: { parameter: Parameter; value: string; onValue(value: string): void }) {
  const id = useId();
  const { name, in: place, required, description, schema } = parameter;
  const choices = schema.enum?.map(String) ?? (schema.type === 'boolean' ? ['true', 'false'] : undefined);
  return (
    <div class="parameter">
      <label for={id}><code>{name}</code>{required ? ' *' : ''} <span class="quiet">{t(`explorer.in-${place}`)}</span></label>
      {choices ? (
        <select id={id} value={value} aria-describedby={`${id}-hint`} onChange={(event) => onValue(event.currentTarget.value)}>
          {(!required || value === '') && <option value="" />}
          {choices.map((choice) => <option key={choice} value={choice}>{choice}</option>)}
        </select>
      ) : (
        <input id={id} type="text" value={value} spellcheck={false} autocomplete="off" aria-describedby={`${id}-hint`} placeholder={schema.default === undefined ? '' : String(schema.default)} onInput={(event) => onValue(event.currentTarget.value)} />
      )}
      <p id={`${id}-hint`} class="field-hint"><Prose text={description} /> <span class="quiet">{typeText(schema)}</span></p>
    </div>
  );
}

/** Text whose parts between backticks are code. */
export function Prose({ text }: { text: string }) {
  return <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>;
}

