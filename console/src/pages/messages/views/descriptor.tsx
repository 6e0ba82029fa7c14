// The descriptor of a message in words, with the numbers of MQMD beside, and its properties.

import type { ComponentChildren } from 'preact';
import { bytes, count, moment, span } from '../../../format.ts';
import { copy } from '../../../parts/copy.tsx';
import { IconButton } from '../../../parts/button.tsx';
import { t } from '../../../text.ts';
import type { SeenMessage } from '../seen.ts';
import { visible } from '../visible.ts';
import { applicationType, characterSet, encodingWords, reasonName, TYPES } from '../words.ts';

export function Descriptor({ message }: { message: SeenMessage }) {
  const m = message;
  return (
    <dl class="details">
      <Item name={t('messages.putAt')}>{moment(m.putAt)}</Item>
      <Item name={t('messages.length')}>{bytes(m.length)} <Beside>{t('messages.bytes', { count: m.length })}</Beside></Item>
      <Item name={t('messages.format')}>{m.format ? visible(m.format) : t('message.none')} {!m.format && <Beside>MQFMT_NONE</Beside>}</Item>
      {m.contentType && <Item name={t('message.contentType')}>{visible(m.contentType)}</Item>}
      <Item name={t('messages.ccsid')}>{m.ccsid} <Beside>{characterSet(m.ccsid ?? 0)}</Beside></Item>
      <Item name={t('message.encoding')}>{m.encoding} <Beside>{encodingWords(m.encoding ?? 0)}</Beside></Item>
      <Item name={t('messages.type')}>{m.type} <Beside>{TYPES[m.type ?? ''] ?? ''}</Beside></Item>
      {m.feedback !== undefined && m.feedback !== 0 && <Item name={t('message.feedback')}>{m.feedback} <Beside>{reasonName(m.feedback) ?? ''}</Beside></Item>}
      <Item name={t('messages.priority')}>{m.priority}</Item>
      <Item name={t('messages.persistence')}>{m.persistence === 'persistent' ? t('messages.persistent') : t('messages.nonPersistent')} <Beside>{m.persistence === 'persistent' ? 'MQPER_PERSISTENT 1' : 'MQPER_NOT_PERSISTENT 0'}</Beside></Item>
      <Item name={t('messages.expiry')}>{m.expiresAt ? <>{moment(m.expiresAt)} <Beside>{t('message.leftTime', { span: span((Date.parse(m.expiresAt) - Date.now()) / 1000) })}</Beside></> : t('message.never')}</Item>
      <Item name={t('messages.backouts')}>{m.backoutCount ? <span class="is-error">{count(m.backoutCount)}</span> : '0'}</Item>
      {m.replyTo && <Item name={t('message.replyTo')}>{visible(m.replyTo.queue)}{m.replyTo.qmgr ? <Beside>{visible(m.replyTo.qmgr)}</Beside> : ''}</Item>}
      {m.report && m.report.length > 0 && <Item name={t('message.reports')}>{m.report.join(', ')}</Item>}
      <Item name={t('messages.user')}>{visible(m.user ?? '') || '–'}</Item>
      <Item name={t('messages.application')}>{visible(m.putApplication?.name ?? '') || '–'} {m.putApplication?.type !== undefined && <Beside>{applicationType(m.putApplication.type)}</Beside>}</Item>
      <Identifier name={t('messages.id')} digits={m.id} />
      <Identifier name={t('messages.correlation')} digits={m.correlationId} />
      <Identifier name={t('messages.group')} digits={m.groupId} />
      {m.groupId && <Item name={t('message.sequence')}>{m.sequence ?? 1}{m.isLastInGroup ? <Beside>{t('message.lastInGroup')}</Beside> : ''}</Item>}
      <Item name={t('messages.position')}>{m.position}</Item>
    </dl>
  );
}

/** Names, values and types of the message properties. */
export function Properties({ properties }: { properties: Record<string, unknown> | undefined }) {
  const all = Object.entries(properties ?? {});
  if (all.length === 0) return <p class="quiet">{t('message.noProperties')}</p>;
  return (
    <table class="plain">
      <tbody>
        {all.map(([name, value]) => {
          const { type, text } = typed(value);
          return (
            <tr key={name}>
              <th scope="row"><bdi>{visible(name)}</bdi></th>
              <td class="mono"><bdi>{visible(text)}</bdi></td>
              <td class="quiet">{type}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

export function typed(value: unknown): { type: string; text: string } {
  if (value === null) return { type: 'null', text: '' };
  if (typeof value === 'object') {
    const { type = 'object', value: inner } = value as { type?: string; value?: unknown };
    return { type, text: typeof inner === 'object' ? JSON.stringify(inner) : String(inner) };
  }
  return { type: typeof value, text: String(value) };
}

function Item({ name, children }: { name: string; children: ComponentChildren }) {
  return <><dt>{name}</dt><dd>{children}</dd></>;
}

function Beside({ children }: { children: ComponentChildren }) {
  return <span class="quiet beside">{children}</span>;
}

function Identifier({ name, digits }: { name: string; digits: string | undefined }) {
  if (!digits || /^0*$/.test(digits)) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd class="identifier">
        <span class="mono">{digits}</span>
        <IconButton icon="copy" label={t('shell.copy', { what: name })} onClick={() => void copy(digits)} />
        {asText(digits) && <span class="quiet beside mono">{asText(digits)}</span>}
      </dd>
    </>
  );
}

/** An identifier that begins with text, such as that of a queue manager. */
function asText(digits: string): string {
  const text = (digits.match(/../g) ?? []).map((two) => Number.parseInt(two, 16)).map((code) => (code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : '.')).join('');
  return /^[ -~]{4}/.test(text) && !text.startsWith('....') ? text : '';
}
