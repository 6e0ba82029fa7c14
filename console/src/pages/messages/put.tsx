// Puts a message: its data as text, JSON, bytes, file or record, and everything that describes it. The dialog shows the request as it grows.
//
// A message that is sent again opens the same form. The original stays until the new message is put, and is then removed where that is ticked.

import { computed, type Signal, signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { request } from '../../api/request.ts';
import { propose, type Step } from '../../change/change.ts';
import { bytes } from '../../format.ts';
import { useAsked } from '../../parts/asked.ts';
import { Button, IconButton } from '../../parts/button.tsx';
import { Failed } from '../../parts/states.tsx';
import { t } from '../../text.ts';
import { textOf } from './body.ts';
import { chooseFile } from './carry.tsx';
import { base64Of, type Draft, draftOf, emptyDraft, envelopeOf, type Kind, lacking, PROPERTY_TYPES, type PropertyRow, wrongJson } from './draft.ts';
import type { SeenMessage } from './seen.ts';
import { dropTemplate, keepTemplate, templates } from './templates.ts';

const PUT = 'POST /api/v1/qmgr/{qmgr}/queue/{queue}/messages';
/** Messages of one repetition, and bytes of a file. */
const MOST_REPEATED = 1000;
const LONGEST_FILE = 64 * 1024 * 1024;

/** Opens the form. `from`: the position of a message that is sent again. */
export async function proposePut(qmgr: string, queue: string, from?: string): Promise<boolean> {
  const draft = signal(from === undefined ? emptyDraft(queue) : await load(qmgr, queue, from));
  const steps = computed<readonly Step[]>(() => {
    const now = draft.value;
    const missing = lacking(now);
    if (missing) return [];
    const path = { qmgr, queue: now.queue.trim() };
    const json = envelopeOf(now);
    const times = Math.min(MOST_REPEATED, Math.max(1, Number.parseInt(now.repeat, 10) || 1));
    const put: Step = times === 1
      ? { operation: PUT, path, query: { envelope: 'true' }, json }
      : { operation: PUT, path, query: { atomic: 'true' }, file: { bytes: new Blob([`${JSON.stringify(json)}\n`.repeat(times)]), type: 'application/x-ndjson', name: 'messages.ndjson' } };
    const removed: Step[] = now.removes && from !== undefined
      ? [{ operation: 'DELETE /api/v1/qmgr/{qmgr}/queue/{queue}/messages/{position}', path: { qmgr, queue, position: from }, query: { body: 'none' } }]
      : [];
    return [put, ...removed];
  });
  return propose({
    title: from === undefined ? t('put.title', { queue }) : t('put.again'), qmgr, wide: true, steps: () => steps.value, apply: t('put.send'), done: t('put.done'),
    isReady: () => lacking(draft.value) === undefined, children: <Form qmgr={qmgr} draft={draft} />,
  });
}

async function load(qmgr: string, queue: string, position: string): Promise<Draft> {
  const message = (await request('GET /api/v1/qmgr/{qmgr}/queue/{queue}/messages/{position}', { path: { qmgr, queue, position }, query: { body: 'auto' } })) as unknown as SeenMessage;
  const draft = draftOf(queue, message);
  // JSON is asked for as text: numbers stay as they are written.
  if (message.body?.json === undefined) return draft;
  const text = await textOf({ qmgr, queue, position }, message.ccsid ?? 1208, message.length, new AbortController().signal);
  return { ...draft, kind: 'json', text };
}

type Change = (members: Partial<Draft>) => void;

function Form({ qmgr, draft }: { qmgr: string; draft: Signal<Draft> }) {
  const now = draft.value;
  const change: Change = (members) => (draft.value = { ...draft.peek(), ...members });
  const missing = lacking(now);
  return (
    <div class="put-form">
      <div class="put-data">
        <Data draft={now} change={change} />
        <h3>{t('messages.properties')}</h3>
        <PropertyRows rows={now.properties} change={(properties) => change({ properties })} />
      </div>
      <div class="put-fields">
        <Templates draft={draft} />
        <Line name={t('put.queue')}><input type="text" list="put-queues" required spellcheck={false} autocomplete="off" value={now.queue} onInput={(event) => change({ queue: event.currentTarget.value })} /></Line>
        <Queues qmgr={qmgr} text={now.queue} />
        <Line name={t('messages.persistence')}>
          <select value={now.persistence} onChange={(event) => change({ persistence: event.currentTarget.value })}>
            <option value="asQueue">{t('put.asQueue')}</option>
            <option value="persistent">{t('messages.persistent')}</option>
            <option value="nonPersistent">{t('messages.nonPersistent')}</option>
          </select>
        </Line>
        <Line name={t('put.priority')}>
          <select value={now.priority} onChange={(event) => change({ priority: event.currentTarget.value })}>
            <option value="">{t('put.asQueue')}</option>
            {Array.from({ length: 10 }, (_, priority) => <option key={priority} value={String(priority)}>{priority}</option>)}
          </select>
        </Line>
        <Line name={t('messages.type')}>
          <select value={now.type} onChange={(event) => change({ type: event.currentTarget.value })}>
            <option value="">{t('put.usual')}</option>
            {['datagram', 'request', 'reply', 'report'].map((type) => <option key={type} value={type}>{type}</option>)}
          </select>
        </Line>
        <Line name={t('put.expiry')}><Text name="expiry" draft={now} change={change} placeholder="30s, 10m, 2h" /></Line>
        <Line name={t('put.delay')}><Text name="delay" draft={now} change={change} placeholder="30s" /></Line>
        <Line name={t('message.replyTo')}><Text name="replyQueue" draft={now} change={change} placeholder={t('put.queue')} /></Line>
        <Line name={t('put.replyQmgr')}><Text name="replyQmgr" draft={now} change={change} /></Line>
        <details>
          <summary>{t('put.more')}</summary>
          <Line name={t('messages.format')}><Text name="format" draft={now} change={change} placeholder="MQSTR" /></Line>
          <Line name={t('messages.ccsid')}><Text name="ccsid" draft={now} change={change} placeholder="1208" /></Line>
          <Line name={t('message.contentType')}><Text name="contentType" draft={now} change={change} /></Line>
          <Line name={t('messages.correlation')}><Text name="correlationId" draft={now} change={change} placeholder={t('put.digits')} mono /></Line>
          <Line name={t('messages.group')}><Text name="groupId" draft={now} change={change} placeholder={t('put.digits')} mono /></Line>
          <Line name={t('message.reports')}>
            <input type="text" value={now.report.join(' ')} placeholder="coa cod" spellcheck={false} onChange={(event) => change({ report: event.currentTarget.value.split(/[\s,]+/).filter(Boolean) })} />
          </Line>
        </details>
        <Line name={t('put.repeat')}><input type="number" min={1} max={MOST_REPEATED} value={now.repeat} onInput={(event) => change({ repeat: event.currentTarget.value })} /></Line>
        {now.original && (
          <fieldset class="put-kept">
            <legend>{t('put.original')}</legend>
            <Check label={t('put.keepsId')} isOn={now.keepsId} change={(keepsId) => change({ keepsId })} />
            {(now.original.headers?.length ?? 0) > 0 && <Check label={t('put.keepsHeaders', { headers: now.original.headers?.map(({ structure }) => structure).join(' ') ?? '' })} isOn={now.keepsHeaders} change={(keepsHeaders) => change({ keepsHeaders })} />}
            <Check label={t('put.removes')} isOn={now.removes} change={(removes) => change({ removes })} />
          </fieldset>
        )}
        {missing && <p class="is-warning" role="status">{t(`put.lacks_${missing}`)}</p>}
      </div>
    </div>
  );
}

function Line({ name, children }: { name: string; children: ComponentChildren }) {
  return <label class="put-line"><span>{name}</span>{children}</label>;
}

function Check({ label, isOn, change }: { label: string; isOn: boolean; change(isOn: boolean): void }) {
  return <label class="check"><input type="checkbox" checked={isOn} onChange={(event) => change(event.currentTarget.checked)} /><span>{label}</span></label>;
}

type TextMember = 'expiry' | 'delay' | 'replyQueue' | 'replyQmgr' | 'format' | 'ccsid' | 'contentType' | 'correlationId' | 'groupId';

function Text({ name, draft, change, placeholder, mono = false }: { name: TextMember; draft: Draft; change: Change; placeholder?: string; mono?: boolean }) {
  return <input type="text" class={mono ? 'mono' : undefined} spellcheck={false} autocomplete="off" placeholder={placeholder} value={draft[name]} onInput={(event) => change({ [name]: event.currentTarget.value })} />;
}

function Queues({ qmgr, text }: { qmgr: string; text: string }) {
  const asked = useAsked(`put ${qmgr} ${text}`, (signal) =>
    request('GET /api/v1/qmgr/{qmgr}/queues', { path: { qmgr }, query: { search: text.trim(), where: ['system=false'], columns: 'name', sort: 'name', limit: 20 }, signal }));
  return <datalist id="put-queues">{(asked.answer?.rows ?? []).map(([name]) => <option key={String(name)} value={String(name)} />)}</datalist>;
}

const KINDS: readonly Kind[] = ['text', 'json', 'hex', 'file', 'record'];

function Data({ draft, change }: { draft: Draft; change: Change }) {
  const { kind } = draft;
  const kinds = draft.original && kind === 'kept' ? [...KINDS, 'kept' as const] : KINDS;
  const wrong = kind === 'json' && draft.text !== '' ? wrongJson(draft.text) : undefined;
  return (
    <>
      <div class="segments" role="group" aria-label={t('put.kind')}>
        {kinds.map((one) => <button key={one} type="button" aria-pressed={one === kind} onClick={() => change({ kind: one })}>{t(`put.${one}`)}</button>)}
      </div>
      {(kind === 'text' || kind === 'json') && (
        <>
          <textarea class="mono" rows={14} autofocus spellcheck={false} aria-label={t('message.data')} value={draft.text} onInput={(event) => change({ text: event.currentTarget.value })} />
          <p class={wrong === undefined ? 'quiet' : 'is-error'}>{wrong === undefined ? bytes(new Blob([draft.text]).size) : t('message.notJson', { at: wrong })}</p>
        </>
      )}
      {kind === 'hex' && <textarea class="mono" rows={14} autofocus spellcheck={false} aria-label={t('put.hex')} placeholder="c8 c5 d3 d3 d6" value={draft.hex} onInput={(event) => change({ hex: event.currentTarget.value })} />}
      {kind === 'file' && <FileBox draft={draft} change={change} />}
      {kind === 'record' && <RecordForm draft={draft} change={change} />}
      {kind === 'kept' && <p class="quiet">{t('put.keptText', { size: bytes(draft.original?.length ?? 0) })}</p>}
    </>
  );
}

function FileBox({ draft: { file }, change }: { draft: Draft; change: Change }) {
  const isTooLong = useSignal(false);
  async function choose(): Promise<void> {
    const chosen = await chooseFile();
    if (!chosen) return;
    isTooLong.value = chosen.size > LONGEST_FILE;
    if (isTooLong.value) return;
    change({ file: { name: chosen.name, type: chosen.type, size: chosen.size, base64: base64Of(new Uint8Array(await chosen.arrayBuffer())) } });
  }
  return (
    <div class="file-box">
      <Button icon="upload" onClick={() => void choose()}>{t('put.chooseFile')}</Button>
      {file && <p>{file.name} <span class="quiet">{bytes(file.size)} {file.type}</span></p>}
      {isTooLong.value && <p class="is-error">{t('put.fileTooLong', { size: bytes(LONGEST_FILE) })}</p>}
    </div>
  );
}

interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  maxLength?: number;
}

/** A field a line, by the schema of the copybook; groups and tables as JSON. */
function RecordForm({ draft: { copybook, record }, change }: { draft: Draft; change: Change }) {
  const list = useAsked('copybooks', async (signal) => (await request('GET /api/v1/copybooks', { query: { limit: 1000 }, signal })).copybooks.filter(({ problem }) => problem === undefined));
  const shown = useAsked(copybook || undefined, (signal) => request('GET /api/v1/copybooks/{copybook}', { path: { copybook }, signal }));
  const schema = shown.answer?.schema as Schema | undefined;
  return (
    <div class="record-form">
      <Line name={t('message.copybook')}>
        <select value={copybook} onChange={(event) => change({ copybook: event.currentTarget.value, record: {} })}>
          <option value="">{t('message.choose')}</option>
          {(list.answer ?? []).map(({ name }) => <option key={name} value={name}>{name}</option>)}
        </select>
      </Line>
      {(list.error ?? shown.error) !== undefined && <Failed error={list.error ?? shown.error} />}
      {Object.entries(schema?.properties ?? {}).map(([name, { type, maxLength }]) => (
        <Line key={name} name={name}>
          <input
            type="text" class="mono" spellcheck={false} maxLength={maxLength} placeholder={[type ?? ''].flat().join(' ')} value={record[name] ?? ''}
            onInput={(event) => change({ record: { ...record, [name]: event.currentTarget.value } })}
          />
        </Line>
      ))}
    </div>
  );
}

/** A row a property; there is always an empty one at the end. */
function PropertyRows({ rows, change }: { rows: readonly PropertyRow[]; change(rows: PropertyRow[]): void }) {
  const last = rows.at(-1);
  const shown = last && last.name === '' && last.value === '' ? rows : [...rows, { name: '', type: 'string', value: '' }];
  const set = (index: number, members: Partial<PropertyRow>) => change(shown.map((row, at) => (at === index ? { ...row, ...members } : row)));
  return (
    <div class="property-rows">
      {shown.map((row, index) => (
        <div key={index} class="property-row">
          <input type="text" class="mono" spellcheck={false} placeholder={t('put.propertyName')} aria-label={t('put.propertyName')} value={row.name} onInput={(event) => set(index, { name: event.currentTarget.value })} />
          <select aria-label={t('put.propertyType')} value={row.type} onChange={(event) => set(index, { type: event.currentTarget.value })}>
            {[...new Set([...PROPERTY_TYPES, row.type])].map((type) => <option key={type} value={type}>{type}</option>)}
          </select>
          <input type="text" class="mono" spellcheck={false} placeholder={t('message.value')} aria-label={t('message.value')} disabled={row.type === 'null'} value={row.value} onInput={(event) => set(index, { value: event.currentTarget.value })} />
          <IconButton icon="close" label={t('put.removeProperty', { name: row.name })} disabled={index === shown.length - 1} onClick={() => change(shown.filter((_, at) => at !== index))} />
        </div>
      ))}
    </div>
  );
}

function Templates({ draft }: { draft: Signal<Draft> }) {
  const all = useSignal(templates());
  const name = useSignal('');
  const names = Object.keys(all.value).sort();
  return (
    <details class="templates">
      <summary>{t('put.templates', { count: names.length })}</summary>
      {names.map((one) => (
        <div key={one} class="template">
          <button
            type="button" class="link"
            onClick={() => {
              const template = all.peek()[one];
              if (template) draft.value = { ...draft.peek(), ...template };
            }}
          >
            {one}
          </button>
          <IconButton
            icon="close" label={t('put.dropTemplate', { name: one })}
            onClick={() => {
              dropTemplate(one);
              all.value = templates();
            }}
          />
        </div>
      ))}
      <div class="template">
        <input type="text" placeholder={t('put.templateName')} aria-label={t('put.templateName')} value={name.value} onInput={(event) => (name.value = event.currentTarget.value)} />
        <Button
          kind="plain" disabled={name.value.trim() === ''}
          onClick={() => {
            keepTemplate(name.peek().trim(), draft.peek());
            all.value = templates();
            name.value = '';
          }}
        >
          {t('put.keepTemplate')}
        </Button>
      </div>
      <p class="quiet">{t('put.templateHint')}</p>
    </details>
  );
}
