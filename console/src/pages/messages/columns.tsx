// The columns of a list of messages, and which of them are shown.

import type { Column } from '../../grid/grid.tsx';
import { bytes, clock, count, moment, span } from '../../format.ts';
import { Icon } from '../../parts/icon.tsx';
import { ColumnChoice } from '../../grid/list.tsx';
import { Popover } from '../../parts/menu.tsx';
import { link } from '../../routes.ts';
import { columnsOf } from '../../settings.ts';
import { t } from '../../text.ts';
import { deadLetterOf, preview, type SeenMessage } from './seen.ts';
import { visible } from './visible.ts';
import { reasonName } from './words.ts';

type MessageColumn = Column<SeenMessage>;

const NAME = 'messages';
const SHOWN = ['putAt', 'preview', 'length', 'format', 'priority', 'persistence', 'backoutCount', 'user', 'application'];

/** `remove` takes one message, where that may be done. */
export function messageColumns(qmgr: string, queue: string, remove?: (message: SeenMessage) => void): MessageColumn[] {
  const all: MessageColumn[] = [
    {
      key: 'putAt', title: t('messages.putAt'), width: 116,
      cell: ({ putAt, position }) => (
        <a class="object" tabIndex={-1} href={link.message({ qmgr, queue, message: position })} title={moment(putAt)}><time>{clock(putAt)}</time></a>
      ),
    },
    { key: 'reason', title: t('messages.reason'), help: t('messages.reasonHelp'), width: 260, cell: (message) => <Reason message={message} />, text: reasonText },
    { key: 'preview', title: t('messages.preview'), width: '3fr', cell: (message) => <Preview message={message} />, text: (message) => preview(message)?.text ?? '' },
    { key: 'length', title: t('messages.length'), width: 88, align: 'end', cell: ({ length }) => <span title={t('messages.bytes', { count: length })}>{bytes(length)}</span> },
    { key: 'format', title: t('messages.format'), width: 92, cell: ({ format }) => format || <Quiet>–</Quiet> },
    { key: 'priority', title: t('messages.priority'), width: 64, align: 'end', cell: ({ priority }) => <>{priority}</> },
    {
      key: 'persistence', title: t('messages.persistence'), width: 96,
      cell: ({ persistence }) => (persistence === 'persistent' ? t('messages.persistent') : <Quiet>–</Quiet>),
    },
    { key: 'backoutCount', title: t('messages.backouts'), help: t('messages.backoutsHelp'), width: 80, align: 'end', cell: ({ backoutCount }) => <Backouts value={backoutCount ?? 0} /> },
    { key: 'expiry', title: t('messages.expiry'), width: 104, align: 'end', cell: ({ expiresAt }) => (expiresAt ? <time title={moment(expiresAt)}>{left(expiresAt)}</time> : <Quiet>–</Quiet>), text: ({ expiresAt }) => expiresAt ?? '' },
    { key: 'user', title: t('messages.user'), width: 96, cell: ({ user }) => <Name text={user} /> },
    { key: 'application', title: t('messages.application'), width: 136, cell: ({ putApplication }) => <Name text={putApplication?.name} />, text: ({ putApplication }) => putApplication?.name ?? '' },
    { key: 'type', title: t('messages.type'), width: 88, cell: ({ type }) => <>{type}</> },
    { key: 'headers', title: t('messages.headers'), width: 120, cell: ({ headers }) => <>{headers?.map(({ structure }) => structure).join(' ')}</>, text: ({ headers }) => headers?.map(({ structure }) => structure).join(' ') ?? '' },
    { key: 'properties', title: t('messages.properties'), width: '1fr', cell: ({ properties }) => <Properties of={properties} />, text: ({ properties }) => JSON.stringify(properties ?? {}) },
    { key: 'correlationId', title: t('messages.correlation'), width: 200, cell: ({ correlationId }) => <Identifier digits={correlationId} /> },
    { key: 'groupId', title: t('messages.group'), width: 200, cell: ({ groupId }) => <Identifier digits={groupId} /> },
    { key: 'id', title: t('messages.id'), width: 200, cell: ({ id }) => <Identifier digits={id} /> },
    { key: 'ccsid', title: t('messages.ccsid'), width: 72, align: 'end', cell: ({ ccsid }) => <>{ccsid}</> },
    { key: 'position', title: t('messages.position'), help: t('messages.positionHelp'), width: 112, align: 'end', cell: ({ position }) => <span class="mono">{position}</span> },
  ];
  if (remove) {
    all.push({
      key: 'remove', title: t('messages.act'), width: 76, text: () => '',
      cell: (message) => <button type="button" class="row-action" tabIndex={-1} aria-label={t('message.deleteTitle', { position: message.position })} title={t('message.delete')} onClick={() => remove(message)}><Icon name="remove" /></button>,
    });
  }
  return all.map((column) => ({ ...column, sorts: false }));
}

/** The shown ones. A list with dead letters shows why they are there. */
export function shownColumns(columns: readonly MessageColumn[], hasDeadLetters: boolean): MessageColumn[] {
  const keys = columnsOf.value[NAME] ?? (hasDeadLetters ? [...SHOWN, 'reason'] : SHOWN);
  return columns.filter(({ key }) => keys.includes(key) || key === 'remove');
}

export function ColumnMenu({ columns, shown }: { columns: readonly MessageColumn[]; shown: readonly MessageColumn[] }) {
  const keys = shown.map(({ key }) => key);
  function choose(next: string[] | undefined): void {
    const { [NAME]: _, ...others } = columnsOf.peek();
    columnsOf.value = next && next.length > 0 ? { ...others, [NAME]: next } : others;
  }
  return (
    <Popover button={<Icon name="columns" />} class="icon-button" label={t('list.columns')} edge="end">
      <div class="chooser">
        <ColumnChoice columns={columns.filter(({ key }) => key !== 'remove')} keys={keys} choose={choose} reset={() => choose(undefined)} />
      </div>
    </Popover>
  );
}

export function Preview({ message }: { message: SeenMessage }) {
  const shown = preview(message);
  if (!shown) return <Quiet>{t('messages.empty')}</Quiet>;
  return <bdi class={`mono preview is-${shown.as}`}>{shown.text}</bdi>;
}

function Reason({ message }: { message: SeenMessage }) {
  const dead = deadLetterOf(message);
  return dead ? <span title={reasonText(message)}><span class="is-error">{dead.reason}</span> {reasonName(dead.reason)} <span class="quiet">{visible(dead.queue)}</span></span> : <Quiet>–</Quiet>;
}

function reasonText(message: SeenMessage): string {
  const dead = deadLetterOf(message);
  return dead ? `${dead.reason} ${reasonName(dead.reason) ?? ''} ${dead.queue}` : '';
}

function Properties({ of }: { of: Record<string, unknown> | undefined }) {
  const text = visible(Object.entries(of ?? {}).map(([name, value]) => `${name}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`).join(' '));
  return text === '' ? <Quiet>–</Quiet> : <bdi class="mono" title={text}>{text.slice(0, 200)}</bdi>;
}

function Backouts({ value }: { value: number }) {
  return value > 0 ? <span class="is-error">{count(value)}</span> : <Quiet>0</Quiet>;
}

function Name({ text }: { text: string | undefined }) {
  return text ? <bdi title={text}>{visible(text)}</bdi> : <Quiet>–</Quiet>;
}

function Identifier({ digits }: { digits: string | undefined }) {
  return digits ? <span class="mono" title={digits}>{digits}</span> : <Quiet>–</Quiet>;
}

function Quiet({ children }: { children: string }) {
  return <span class="quiet">{children}</span>;
}

/** How long until a moment. */
function left(moment: string): string {
  return span((Date.parse(moment) - Date.now()) / 1000);
}
