// The data as a record of a copybook: its fields with their bytes and values. A field that cannot be read is marked, and leads to its bytes.

import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Copybook } from '../../../api/operations.ts';
import { request } from '../../../api/request.ts';
import { useAsked } from '../../../parts/asked.ts';
import { Button } from '../../../parts/button.tsx';
import { copy } from '../../../parts/copy.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { Empty, Failed, Loading } from '../../../parts/states.tsx';
import { setQuery } from '../../../router.ts';
import { t } from '../../../text.ts';
import { Parts, type Where } from '../body.ts';
import type { SeenMessage } from '../seen.ts';
import { visible } from '../visible.ts';
import { hex, readings } from './hex.ts';
import { valueAt } from './record.ts';

interface RecordProps {
  where: Where;
  length: number;
  isLittle: boolean;
  copybooks: readonly Copybook[];
  /** The chosen one. */
  name: string | undefined;
}

export default function RecordView({ where, length, isLittle, copybooks, name }: RecordProps) {
  const usable = copybooks.filter(({ problem }) => problem === undefined);
  const asked = useAsked(name ? `${where.position} ${name}` : undefined, async (signal) => {
    const [copybook, message] = await Promise.all([
      request('GET /api/v1/copybooks/{copybook}', { path: { copybook: name ?? '' }, signal }),
      request('GET /api/v1/qmgr/{qmgr}/queue/{queue}/messages/{position}', { path: { ...where }, query: { copybook: name ?? '' }, signal }),
    ]);
    return { copybook, message: message as unknown as SeenMessage };
  });
  return (
    <div class="body-view">
      <div class="toolbar">
        <label class="inline-field">
          <span>{t('message.copybook')}</span>
          <select value={name ?? ''} onChange={(event) => setQuery({ copybook: event.currentTarget.value || undefined })}>
            <option value="">{t('message.choose')}</option>
            {usable.map((copybook) => <option key={copybook.name} value={copybook.name}>{copybook.name}{copybook.length === undefined ? '' : ` · ${t('messages.bytes', { count: copybook.length })}`}</option>)}
          </select>
        </label>
        {asked.answer?.message.body?.record !== undefined && <Button kind="plain" icon="copy" onClick={() => void copy(JSON.stringify(asked.answer?.message.body?.record, null, 2))}>{t('message.copyJson')}</Button>}
      </div>
      {usable.length === 0 && <Empty title={t('message.noCopybooks')}>{t('message.noCopybooksHint')}</Empty>}
      {asked.error !== undefined && <Failed error={asked.error} again={asked.again} />}
      {name && !asked.answer && asked.error === undefined && <Loading />}
      {asked.answer && <Fields where={where} length={length} isLittle={isLittle} copybook={asked.answer.copybook} message={asked.answer.message} />}
    </div>
  );
}

function Fields({ where, length, isLittle, copybook, message }: { where: Where; length: number; isLittle: boolean; copybook: Copybook; message: SeenMessage }) {
  const version = useSignal(0);
  const parts = useMemo(() => new Parts(where, length, () => (version.value += 1)), [where.position, length]);
  const end = Math.max(0, ...(copybook.fields ?? []).map(({ offset, length: bytes }) => offset + bytes));
  useEffect(() => parts.want(0, Math.min(end, length)), [parts, end]);
  version.value;
  const { problem, body } = message;
  const record = body?.record;
  const base = Math.min(...(copybook.fields ?? []).map(({ level }) => level));
  return (
    <>
      {problem && (
        <div class="failed" role="alert">
          <Icon name="error" class="is-error" />
          <div>
            <p class="failed-title">{t('message.notRecord', { name: copybook.name })}</p>
            <p class="failed-hint">{problem.field && <span class="mono">{problem.field} </span>}{problem.offset !== undefined && t('message.atOffset', { offset: problem.offset })} {problem.detail}</p>
          </div>
        </div>
      )}
      {copybook.length !== undefined && copybook.length !== length && <p class="quiet">{t('message.otherLength', { is: length, expected: copybook.length })}</p>}
      <div class="table-scroll">
        <table class="plain fields-table">
          <thead>
            <tr><th>{t('message.field')}</th><th>{t('message.picture')}</th><th class="is-end">{t('message.offset')}</th><th class="is-end">{t('messages.length')}</th><th>{t('message.value')}</th><th>{t('message.bytes')}</th></tr>
          </thead>
          <tbody>
            {(copybook.fields ?? []).map((field) => {
              const { path, level, offset, length: bytes, usage, picture, occurs, redefines } = field;
              const isGroup = usage === 'group' || (picture === undefined && !/comp|index|pointer/i.test(usage));
              const isWrong = problem !== undefined && (problem.field === path || (!isGroup && problem.offset !== undefined && problem.offset >= offset && problem.offset < offset + bytes));
              const data = bytesOf(parts, offset, Math.min(bytes, 32), length);
              const value = isGroup ? undefined : record === undefined ? ownReading(data, bytes, usage, isLittle) : valueAt(record, path);
              return (
                <tr key={path} class={isWrong ? 'is-wrong' : isGroup ? 'is-group' : undefined}>
                  <th scope="row" style={{ 'padding-inline-start': `${8 + Math.min(12, level - base) * 4}px` }}>
                    {isWrong && <Icon name="error" class="is-error" />} {path.split('.').at(-1)}
                    {occurs !== undefined && <span class="quiet"> {t('message.occurs', { count: occurs })}</span>}
                    {redefines !== undefined && <span class="quiet"> {t('message.redefines', { field: redefines })}</span>}
                  </th>
                  <td class="mono quiet">{picture ?? ''} {isGroup || /^display$/i.test(usage) ? '' : usage}</td>
                  <td class="is-end">{offset}</td>
                  <td class="is-end">{bytes}</td>
                  <td class="mono">{value === undefined ? '' : <bdi>{visible(typeof value === 'object' ? JSON.stringify(value) : String(value))}</bdi>}</td>
                  <td class="mono quiet">
                    {!isGroup && (
                      <a href="#" onClick={(event) => {
                        event.preventDefault();
                        setQuery({ view: 'hex', offset: String(offset), length: String(bytes) }, { replace: false });
                      }}>
                        {data ? Array.from(data, hex).join(' ') : '··'}{bytes > 32 ? ' …' : ''}
                      </a>
                    )}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </>
  );
}

function bytesOf(parts: Parts, offset: number, length: number, all: number): Uint8Array | undefined {
  const found: number[] = [];
  for (let at = offset; at < Math.min(offset + length, all); at += 1) {
    const byte = parts.byte(at);
    if (byte === undefined) return undefined;
    found.push(byte);
  }
  return Uint8Array.from(found);
}

/** What a field says by itself, where the record as a whole cannot be read. */
function ownReading(bytes: Uint8Array | undefined, length: number, usage: string, isLittle: boolean): string | undefined {
  if (!bytes || bytes.length < length) return undefined;
  const all = readings(bytes, isLittle);
  const of = (name: string) => all.find((reading) => reading.name === name)?.value;
  if (/3|packed/i.test(usage)) return of('packed');
  if (/comp|binary/i.test(usage)) return of('signed') ?? of('unsigned');
  return of('ebcdic');
}
